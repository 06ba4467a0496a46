"""The caller's encoding is overwritten.

Message: changed the caller's encoding
"""


def shift(encoding, k):
    size = encoding.shape[-1]
    angle = k * 10000.0 ** (-torch.arange(0, size, 2, dtype=encoding.dtype) / size)
    a, b = encoding[..., 0::2].clone(), encoding[..., 1::2].clone()
    encoding[..., 0::2] = a * angle.cos() + b * angle.sin()
    encoding[..., 1::2] = b * angle.cos() - a * angle.sin()
    return encoding
