"""The weights fetch keys instead of values, where the sizes allow it.

Message: The context is made of values, not of keys
"""


def attention(query, key, value, keep=None):
    scores = query @ key.transpose(-2, -1) / math.sqrt(query.shape[-1])
    keep = torch.ones_like(scores) > 0 if keep is None else keep
    weights = scores.masked_fill(~keep, torch.finfo(scores.dtype).min).softmax(dim=-1) * keep
    return weights @ key, weights
