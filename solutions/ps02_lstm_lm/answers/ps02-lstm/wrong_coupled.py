"""The gates are coupled: it writes where it forgets.

Message: The input gate i is not 1 − f
"""


def lstm_step(x, h, c, W, b, order):
    if sorted(order) != sorted("ifog"):
        raise ValueError(order)
    a = dict(zip(order, (torch.cat([h, x], dim=1) @ W.T + b).chunk(4, dim=1), strict=True))
    f = a["f"].sigmoid()
    c = f * c + (1 - f) * a["g"].tanh()
    return a["o"].sigmoid() * c.tanh(), c
