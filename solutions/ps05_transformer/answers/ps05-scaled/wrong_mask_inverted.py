"""True is taken to mean: mask this.

Message: True means keep
"""


def attention(query, key, value, keep=None):
    scores = query @ key.transpose(-2, -1) / math.sqrt(query.shape[-1])
    if keep is not None:
        scores = scores.masked_fill(keep, torch.finfo(scores.dtype).min)
    weights = scores.softmax(dim=-1)
    if keep is not None:
        weights = weights * ~keep
    return weights @ value, weights
