"""e to the logits, without taking off the largest.

Message: subtract the largest logit first
"""


def at_temperature(logits, temperature):
    if temperature < 0:
        raise ValueError(temperature)
    if temperature == 0:
        best = (logits == logits.amax(dim=-1, keepdim=True)).to(logits.dtype)
        return best / best.sum(dim=-1, keepdim=True)
    weights = (logits / temperature).exp()
    return weights / weights.sum(dim=-1, keepdim=True)
