"""The norm after clipping is returned.

Message: Return the norm before clipping
"""


def clip(gradients, threshold):
    found = [g for g in gradients if g is not None]
    norm = math.sqrt(sum(float(g.square().sum()) for g in found))
    if not math.isfinite(norm):
        raise ValueError(f"the norm is {norm}; allowed is a finite one")
    if norm > threshold:
        for g in found:
            g.mul_(threshold / norm)
    return min(norm, threshold)
