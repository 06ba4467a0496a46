"""Written with the norm of the norms."""


def clip(gradients, threshold):
    norm = math.hypot(*(float(g.norm()) for g in gradients if g is not None))
    if not norm < math.inf:
        raise ValueError(norm)
    for g in gradients:
        if g is not None and norm > threshold:
            g.copy_(g * threshold / norm)
    return norm
