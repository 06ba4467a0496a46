"""Probabilities are raised to 1 / T, and no longer sum to 1.

Message: probabilities no longer sum to 1
"""


def at_temperature(logits, temperature):
    if temperature < 0:
        raise ValueError(temperature)
    return logits.softmax(dim=-1) ** (1 / temperature)
