"""The softmax runs over the batch.

Message: sum to 1 over the batch axis; they should sum to 1 over the source axis
"""


def masked_softmax(scores, keep):
    kept = keep.unsqueeze(1)
    lowest = torch.finfo(scores.dtype).min
    return scores.masked_fill(~kept, lowest).softmax(dim=0) * kept
