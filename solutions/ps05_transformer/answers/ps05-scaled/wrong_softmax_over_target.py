"""The softmax runs over the queries.

Message: The softmax runs over the queries; it should run over the keys
"""


def attention(query, key, value, keep=None):
    scores = query @ key.transpose(-2, -1) / math.sqrt(query.shape[-1])
    keep = torch.ones_like(scores) > 0 if keep is None else keep
    weights = scores.masked_fill(~keep, torch.finfo(scores.dtype).min).softmax(dim=-2) * keep
    return weights @ value, weights
