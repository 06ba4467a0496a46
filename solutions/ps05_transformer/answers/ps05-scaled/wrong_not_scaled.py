"""The scaling is forgotten.

Message: The scores are not divided by √size
"""


def attention(query, key, value, keep=None):
    scores = query @ key.transpose(-2, -1)
    keep = torch.ones_like(scores) > 0 if keep is None else keep
    weights = scores.masked_fill(~keep, torch.finfo(scores.dtype).min).softmax(dim=-1) * keep
    return weights @ value, weights
