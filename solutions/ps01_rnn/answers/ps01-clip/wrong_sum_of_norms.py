"""The norms of the tensors are added.

Message: is not the sum of the norms
"""


def clip(gradients, threshold):
    found = [g for g in gradients if g is not None]
    norm = float(sum(float(g.norm()) for g in found))
    if not math.isfinite(norm):
        raise ValueError(f"the norm is {norm}; allowed is a finite one")
    if norm > threshold:
        for g in found:
            g.mul_(threshold / norm)
    return norm
