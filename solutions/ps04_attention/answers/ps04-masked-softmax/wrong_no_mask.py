"""The mask is forgotten.

Message: The mask did not reach the softmax
"""


def masked_softmax(scores, keep):
    return scores.softmax(dim=-1)
