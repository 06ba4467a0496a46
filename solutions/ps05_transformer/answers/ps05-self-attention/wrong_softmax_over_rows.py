"""The softmax runs over the words that ask; the scores are symmetric, so nobody notices.

Message: your weights sum to 1 over the word axis; they should sum to 1 over the looked at axis
"""


def self_attention(x, keep, itself=True):
    allowed = keep.unsqueeze(1) & (itself | (torch.eye(x.shape[1]) == 0))
    scores = (x @ x.transpose(1, 2)).masked_fill(~allowed, torch.finfo(x.dtype).min)
    weights = scores.softmax(dim=1) * allowed
    return weights @ x, weights
