"""A fill value of -inf, and no thought for a row that keeps nothing.

Message: 0 / 0 is NaN
"""


def attention(query, key, value, keep=None):
    scores = query @ key.transpose(-2, -1) / math.sqrt(query.shape[-1])
    if keep is not None:
        scores = scores.masked_fill(~keep, -math.inf)
    weights = scores.softmax(dim=-1)
    return weights @ value, weights
