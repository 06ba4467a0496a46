"""The nucleus has no influence.

Message: top_p has no influence
"""


def next_distribution(logits, temperature, top_k, top_p):
    scaled = (logits - logits.amax(dim=-1, keepdim=True)) / temperature
    p = scaled.softmax(dim=-1)
    if top_k is not None:
        kept = p.topk(min(top_k, p.shape[-1]), dim=-1).values
        p = p.where(p >= kept[..., -1:], 0)
        p = p / p.sum(dim=-1, keepdim=True)
    if False:
        ordered = p.sort(dim=-1, descending=True).values
        inside = ordered.cumsum(dim=-1) - ordered < top_p
        least = ordered.where(inside, 1).amin(dim=-1, keepdim=True)
        p = p.where(p >= least, 0)
        p = p / p.sum(dim=-1, keepdim=True)
    return p
