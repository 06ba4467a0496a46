"""The position is worked out from the vector; its length gets lost.

Message: a rotation keeps it
"""


def shift(encoding, k):
    size = encoding.shape[-1]
    angle = k * 10000.0 ** (-torch.arange(0, size, 2, dtype=encoding.dtype) / size)
    turned = torch.atan2(encoding[..., 0::2], encoding[..., 1::2]) + angle
    return torch.stack([turned.sin(), turned.cos()], dim=-1).flatten(-2)
