"""The tokens are sorted by their probability first.

Message: Keep the tokens in their order
"""


def draw(p, u):
    p, order = p.sort(dim=1, descending=True, stable=True)
    k = (p.cumsum(dim=1) <= u.unsqueeze(1)).sum(dim=1, keepdim=True)
    return order.gather(1, k.clamp(max=p.shape[1] - 1)).squeeze(1)
