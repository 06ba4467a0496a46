"""The root is forgotten.

Message: A norm is the square root
"""


def clip(gradients, threshold):
    found = [g for g in gradients if g is not None]
    norm = float(sum(float(g.square().sum()) for g in found))
    if not math.isfinite(norm):
        raise ValueError(f"the norm is {norm}; allowed is a finite one")
    if norm > threshold:
        for g in found:
            g.mul_(threshold / norm)
    return norm
