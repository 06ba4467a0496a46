"""The limit is left to the division.

Message: A division by 0 gives infinities
"""


def at_temperature(logits, temperature):
    if temperature < 0:
        raise ValueError(temperature)
    return (logits / temperature).softmax(dim=-1)
