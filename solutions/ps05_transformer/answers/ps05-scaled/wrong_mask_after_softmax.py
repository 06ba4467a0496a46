"""The mask comes after the softmax: what it takes away is lost.

Message: Masking after the softmax takes weight away
"""


def attention(query, key, value, keep=None):
    weights = (query @ key.transpose(-2, -1) / math.sqrt(query.shape[-1])).softmax(dim=-1)
    if keep is not None:
        weights = weights * keep
    return weights @ value, weights
