"""A fill value of -1e9, which float16 cannot hold.

Message: does not fit into float16
"""


def masked_softmax(scores, keep):
    kept = keep.unsqueeze(1)
    return scores.masked_fill(~kept, -1e9).softmax(dim=-1) * kept
