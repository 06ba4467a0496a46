"""A fill value of -inf, and no thought for a row that keeps nothing.

Message: A softmax over nothing but -inf is 0 / 0
"""


def masked_softmax(scores, keep):
    return scores.masked_fill(~keep.unsqueeze(1), -math.inf).softmax(dim=-1)
