"""The softmax runs over the first axis.

Message: The softmax runs over the wrong axis
"""


def at_temperature(logits, temperature):
    if temperature < 0:
        raise ValueError(temperature)
    below = logits - logits.amax(dim=0, keepdim=True)
    return (below / temperature).where(below < 0, 0.0).softmax(dim=0)
