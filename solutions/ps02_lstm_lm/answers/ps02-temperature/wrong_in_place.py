"""The caller's logits are changed.

Message: your function changed the caller's logits
"""


def at_temperature(logits, temperature):
    if temperature < 0:
        raise ValueError(temperature)
    logits -= logits.amax(dim=-1, keepdim=True)
    return (logits / temperature).where(logits < 0, 0.0).softmax(dim=-1)
