"""The bias is forgotten.

Message: The bias b is missing
"""


def lstm_step(x, h, c, W, b, order):
    if sorted(order) != sorted("ifog"):
        raise ValueError(order)
    a = dict(zip(order, (torch.cat([h, x], dim=1) @ W.T).chunk(4, dim=1), strict=True))
    c = a["f"].sigmoid() * c + a["i"].sigmoid() * a["g"].tanh()
    return a["o"].sigmoid() * c.tanh(), c
