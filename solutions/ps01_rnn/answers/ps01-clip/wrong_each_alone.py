"""Each tensor is clipped by its own norm.

Message: yours clips each tensor by its own
"""


def clip(gradients, threshold):
    total = 0.0
    for g in gradients:
        if g is not None:
            norm = float(g.norm())
            total += norm**2
            if norm > threshold:
                g.mul_(threshold / norm)
    return math.sqrt(total)
