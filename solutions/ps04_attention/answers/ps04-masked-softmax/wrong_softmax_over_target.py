"""The softmax runs over the target steps.

Message: sum to 1 over the target axis; they should sum to 1 over the source axis
"""


def masked_softmax(scores, keep):
    kept = keep.unsqueeze(1)
    lowest = torch.finfo(scores.dtype).min
    return scores.masked_fill(~kept, lowest).softmax(dim=1) * kept
