"""A forget gate of 1 forgets, as its name suggests.

Message: The forget gate is the wrong way round
"""


def lstm_step(x, h, c, W, b, order):
    if sorted(order) != sorted("ifog"):
        raise ValueError(order)
    a = dict(zip(order, (torch.cat([h, x], dim=1) @ W.T + b).chunk(4, dim=1), strict=True))
    c = (1 - a["f"].sigmoid()) * c + a["i"].sigmoid() * a["g"].tanh()
    return a["o"].sigmoid() * c.tanh(), c
