"""An order with a letter twice is let through: only the set of letters is looked at.

Message: should end in a ValueError that you raise
"""


def lstm_step(x, h, c, W, b, order):
    if set(order) != set("ifog"):
        raise ValueError(order)
    a = dict(zip(order, (torch.cat([h, x], dim=1) @ W.T + b).chunk(4, dim=1), strict=False))
    c = a["f"].sigmoid() * c + a["i"].sigmoid() * a["g"].tanh()
    return a["o"].sigmoid() * c.tanh(), c
