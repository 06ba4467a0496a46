"""torch's order is taken, whatever `order` says.

Message: you read them as torch's i, f, g, o
"""


def lstm_step(x, h, c, W, b, order):
    if sorted(order) != sorted("ifog"):
        raise ValueError(order)
    i, f, g, o = (torch.cat([h, x], dim=1) @ W.T + b).chunk(4, dim=1)
    c = f.sigmoid() * c + i.sigmoid() * g.tanh()
    return o.sigmoid() * c.tanh(), c
