"""The list gets new tensors; those of the optimiser stay.

Message: must change in place
"""


def clip(gradients, threshold):
    norm = math.sqrt(sum(float(g.square().sum()) for g in gradients if g is not None))
    if norm > threshold:
        gradients[:] = [None if g is None else g * threshold / norm for g in gradients]
    return norm
