"""The scores are scaled by habit.

Message: A factor 1/√d belongs to exercise 4
"""


def self_attention(x, keep, itself=True):
    allowed = keep.unsqueeze(1) & (itself | (torch.eye(x.shape[1]) == 0))
    scores = x @ x.transpose(1, 2) / math.sqrt(x.shape[-1])
    weights = scores.masked_fill(~allowed, torch.finfo(x.dtype).min).softmax(dim=-1) * allowed
    return weights @ x, weights
