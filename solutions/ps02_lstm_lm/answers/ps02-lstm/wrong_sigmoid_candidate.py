"""All four parts go through a sigmoid.

Message: The candidate g has a tanh, not a sigmoid
"""


def lstm_step(x, h, c, W, b, order):
    if sorted(order) != sorted("ifog"):
        raise ValueError(order)
    a = dict(zip(order, (torch.cat([h, x], dim=1) @ W.T + b).sigmoid().chunk(4, dim=1), strict=True))
    c = a["f"] * c + a["i"] * a["g"]
    return a["o"] * c.tanh(), c
