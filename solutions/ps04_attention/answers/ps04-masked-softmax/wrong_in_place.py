"""The caller's scores are overwritten.

Message: changed the caller's scores
"""


def masked_softmax(scores, keep):
    kept = keep.unsqueeze(1)
    scores.data.masked_fill_(~kept, torch.finfo(scores.dtype).min)
    return scores.softmax(dim=-1) * kept
