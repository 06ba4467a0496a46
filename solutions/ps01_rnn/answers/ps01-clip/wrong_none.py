"""An entry of None is not expected.

Message: An entry of the list may be None
"""


def clip(gradients, threshold):
    found = gradients
    norm = math.sqrt(sum(float(g.square().sum()) for g in found))
    if not math.isfinite(norm):
        raise ValueError(f"the norm is {norm}; allowed is a finite one")
    if norm > threshold:
        for g in found:
            g.mul_(threshold / norm)
    return norm
