"""Cell and state come back the wrong way round.

Message: The result is (h, c), in this order
"""


def lstm_step(x, h, c, W, b, order):
    if sorted(order) != sorted("ifog"):
        raise ValueError(order)
    a = dict(zip(order, (torch.cat([h, x], dim=1) @ W.T + b).chunk(4, dim=1), strict=True))
    c = a["f"].sigmoid() * c + a["i"].sigmoid() * a["g"].tanh()
    return c, a["o"].sigmoid() * c.tanh()
