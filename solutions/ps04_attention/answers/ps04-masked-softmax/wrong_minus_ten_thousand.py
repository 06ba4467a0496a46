"""A fill value of -10,000, which real scores can undercut.

Message: A fill value such as -1e4 is not low enough
"""


def masked_softmax(scores, keep):
    kept = keep.unsqueeze(1)
    return scores.masked_fill(~kept, -1e4).softmax(dim=-1) * kept
