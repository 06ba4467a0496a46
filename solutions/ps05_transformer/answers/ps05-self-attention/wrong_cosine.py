"""Directions are compared instead of vectors.

Message: You compared directions only
"""


def self_attention(x, keep, itself=True):
    unit = torch.nn.functional.normalize(x, dim=-1)
    allowed = keep.unsqueeze(1) & (itself | (torch.eye(x.shape[1]) == 0))
    scores = (unit @ unit.transpose(1, 2)).masked_fill(~allowed, torch.finfo(x.dtype).min)
    weights = scores.softmax(dim=-1) * allowed
    return weights @ x, weights
