"""The caller's cell is changed.

Message: your function changed the caller's c
"""


def lstm_step(x, h, c, W, b, order):
    if sorted(order) != sorted("ifog"):
        raise ValueError(order)
    a = dict(zip(order, (torch.cat([h, x], dim=1) @ W.T + b).chunk(4, dim=1), strict=True))
    with torch.no_grad():
        c *= a["f"].sigmoid()
        c += a["i"].sigmoid() * a["g"].tanh()
    return a["o"].sigmoid() * c.tanh(), c.clone()
