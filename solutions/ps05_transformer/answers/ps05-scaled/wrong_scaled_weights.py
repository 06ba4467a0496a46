"""The weights are divided instead of the scores.

Message: You divided the weights; divide the scores
"""


def attention(query, key, value, keep=None):
    scores = query @ key.transpose(-2, -1)
    keep = torch.ones_like(scores) > 0 if keep is None else keep
    weights = scores.masked_fill(~keep, torch.finfo(scores.dtype).min).softmax(dim=-1) * keep
    weights = weights / math.sqrt(query.shape[-1])
    return weights @ value, weights
