"""All hands turn by the same angle.

Message: All hands turned by the same angle
"""


def shift(encoding, k):
    a, b = encoding[..., 0::2], encoding[..., 1::2]
    return torch.stack([a * math.cos(k) + b * math.sin(k), b * math.cos(k) - a * math.sin(k)], -1).flatten(-2)
