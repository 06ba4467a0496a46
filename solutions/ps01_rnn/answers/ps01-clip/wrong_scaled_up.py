"""Small gradients are scaled up to the threshold.

Message: they are not scaled up
"""


def clip(gradients, threshold):
    found = [g for g in gradients if g is not None]
    norm = math.sqrt(sum(float(g.square().sum()) for g in found))
    if not math.isfinite(norm):
        raise ValueError(f"the norm is {norm}; allowed is a finite one")
    if norm > 0:
        for g in found:
            g.mul_(threshold / norm)
    return norm
