"""The order of the slides is taken, whatever `order` says.

Message: you read them as i, f, o, g
"""


def lstm_step(x, h, c, W, b, order):
    if sorted(order) != sorted("ifog"):
        raise ValueError(order)
    i, f, o, g = (torch.cat([h, x], dim=1) @ W.T + b).chunk(4, dim=1)
    c = f.sigmoid() * c + i.sigmoid() * g.tanh()
    return o.sigmoid() * c.tanh(), c
