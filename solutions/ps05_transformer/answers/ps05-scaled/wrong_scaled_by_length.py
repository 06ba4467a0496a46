"""The number of keys scales the scores.

Message: You divided by the square root of the number of keys
"""


def attention(query, key, value, keep=None):
    scores = query @ key.transpose(-2, -1) / math.sqrt(key.shape[-2])
    keep = torch.ones_like(scores) > 0 if keep is None else keep
    weights = scores.masked_fill(~keep, torch.finfo(scores.dtype).min).softmax(dim=-1) * keep
    return weights @ value, weights
