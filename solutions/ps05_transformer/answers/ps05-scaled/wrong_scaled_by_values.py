"""The size of a value scales the scores; in most models it is the same.

Message: You divided by the square root of the size of a value
"""


def attention(query, key, value, keep=None):
    scores = query @ key.transpose(-2, -1) / math.sqrt(value.shape[-1])
    keep = torch.ones_like(scores) > 0 if keep is None else keep
    weights = scores.masked_fill(~keep, torch.finfo(scores.dtype).min).softmax(dim=-1) * keep
    return weights @ value, weights
