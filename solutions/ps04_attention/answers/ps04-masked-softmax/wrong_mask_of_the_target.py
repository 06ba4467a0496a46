"""The mask is broadcast as if it belonged to the target step.

Message: Your mask belongs to the target step
"""


def masked_softmax(scores, keep):
    rows = keep if len(keep) == scores.shape[1] else keep.unsqueeze(1)
    return scores.masked_fill(~rows, torch.finfo(scores.dtype).min).softmax(dim=-1) * rows
