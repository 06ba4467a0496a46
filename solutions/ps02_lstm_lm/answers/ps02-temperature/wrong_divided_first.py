"""The logits become infinite before the largest is taken off.

Message: subtract the largest logit before you divide
"""


def at_temperature(logits, temperature):
    if temperature < 0:
        raise ValueError(temperature)
    if temperature == 0:
        best = (logits == logits.amax(dim=-1, keepdim=True)).to(logits.dtype)
        return best / best.sum(dim=-1, keepdim=True)
    return (logits / temperature).softmax(dim=-1)
