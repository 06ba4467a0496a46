"""The mask comes after the softmax: what it takes away is lost.

Message: Masking after the softmax takes weight away
"""


def masked_softmax(scores, keep):
    return scores.softmax(dim=-1) * keep.unsqueeze(1)
