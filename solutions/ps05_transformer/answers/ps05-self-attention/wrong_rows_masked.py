"""The mask closes the rows of padding, the words that ask, and leaves its columns open.

Message: The mask belongs to the columns
"""


def self_attention(x, keep, itself=True):
    allowed = keep.unsqueeze(2) & (itself | (torch.eye(x.shape[1]) == 0))
    scores = x @ x.transpose(1, 2)
    weights = scores.masked_fill(~allowed, torch.finfo(x.dtype).min).softmax(dim=-1) * allowed
    return weights @ x, weights
