"""A fill value of -1e9, which float16 cannot hold.

Message: does not fit into float16
"""


def attention(query, key, value, keep=None):
    scores = query @ key.transpose(-2, -1) / math.sqrt(query.shape[-1])
    if keep is not None:
        scores = scores.masked_fill(~keep, -1e9)
    weights = scores.softmax(dim=-1)
    return weights @ value, weights
