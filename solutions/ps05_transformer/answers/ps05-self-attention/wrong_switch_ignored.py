"""The switch has no influence.

Message: itself=False has no influence
"""


def self_attention(x, keep, itself=True):
    allowed = keep.unsqueeze(1)
    weights = (x @ x.transpose(1, 2)).masked_fill(~allowed, torch.finfo(x.dtype).min).softmax(
        dim=-1
    ) * allowed
    return weights @ x, weights
