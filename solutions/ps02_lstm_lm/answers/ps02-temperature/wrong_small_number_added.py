"""A small number keeps the division from 0.

Message: A small number added to T is not the limit
"""


def at_temperature(logits, temperature):
    if temperature < 0:
        raise ValueError(temperature)
    below = logits - logits.amax(dim=-1, keepdim=True)
    return (below / max(temperature, 1e-8)).softmax(dim=-1)
