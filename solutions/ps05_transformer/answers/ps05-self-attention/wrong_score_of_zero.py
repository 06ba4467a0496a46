"""A word's score with itself is set to 0, as if that were no weight.

Message: A score of 0 is no mask
"""


def self_attention(x, keep, itself=True):
    scores = x @ x.transpose(1, 2)
    if not itself:
        scores = scores * (1 - torch.eye(x.shape[1], dtype=x.dtype))
    allowed = keep.unsqueeze(1)
    weights = scores.masked_fill(~allowed, torch.finfo(x.dtype).min).softmax(dim=-1) * allowed
    return weights @ x, weights
