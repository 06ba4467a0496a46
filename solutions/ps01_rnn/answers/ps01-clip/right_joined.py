"""Written with all numbers in one row."""


def clip(gradients, threshold):
    found = [g for g in gradients if g is not None]
    norm = float(torch.cat([g.flatten() for g in found]).norm()) if found else 0.0
    if math.isnan(norm) or math.isinf(norm):
        raise ValueError("the gradients are not finite")
    factor = min(1.0, threshold / norm) if norm > 0 else 1.0
    for g in found:
        g *= factor
    return norm
