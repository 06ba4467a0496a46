"""At 0 each of the largest gets 1.

Message: The largest logits share
"""


def at_temperature(logits, temperature):
    if temperature < 0:
        raise ValueError(temperature)
    below = logits - logits.amax(dim=-1, keepdim=True)
    return (below / temperature).softmax(dim=-1) if temperature else (below == 0).to(logits.dtype)
