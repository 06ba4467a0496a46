"""A norm that is NaN is compared with the threshold.

Message: it slips through
"""


def clip(gradients, threshold):
    found = [g for g in gradients if g is not None]
    norm = math.sqrt(sum(float(g.square().sum()) for g in found))
    if norm > threshold:
        for g in found:
            g.mul_(threshold / norm)
    return norm
