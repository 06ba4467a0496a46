"""On a border the token before it is drawn.

Message: u on a border belongs to the token behind it
"""


def draw(p, u):
    tokens = (p.cumsum(dim=1) < u.unsqueeze(1)).sum(dim=1)
    last = p.shape[1] - 1 - (p > 0).flip(1).int().argmax(dim=1)
    return torch.minimum(tokens, last)
