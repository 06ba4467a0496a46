"""Scores are multiplied by the mask, as if a score of 0 meant no weight.

Message: The mask did not reach the softmax
"""


def masked_softmax(scores, keep):
    return (scores * keep.unsqueeze(1)).softmax(dim=-1)
