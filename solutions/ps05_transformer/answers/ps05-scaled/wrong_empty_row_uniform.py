"""A row that keeps nothing looks everywhere.

Message: a softmax over equal scores is uniform
"""


def attention(query, key, value, keep=None):
    scores = query @ key.transpose(-2, -1) / math.sqrt(query.shape[-1])
    if keep is not None:
        scores = scores.masked_fill(~keep, torch.finfo(scores.dtype).min)
    weights = scores.softmax(dim=-1)
    return weights @ value, weights
