"""The probabilities are divided, not the logits.

Message: divide the logits, not the probabilities
"""


def at_temperature(logits, temperature):
    if temperature < 0:
        raise ValueError(temperature)
    return logits.softmax(dim=-1) / temperature
