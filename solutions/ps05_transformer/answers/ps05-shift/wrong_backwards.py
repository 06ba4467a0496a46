"""The hands turn the wrong way.

Message: The hands turn the wrong way
"""


def shift(encoding, k):
    size = encoding.shape[-1]
    angle = k * 10000.0 ** (-torch.arange(0, size, 2, dtype=encoding.dtype) / size)
    a, b = encoding[..., 0::2], encoding[..., 1::2]
    return torch.stack([a * angle.cos() - b * angle.sin(), b * angle.cos() + a * angle.sin()], -1).flatten(-2)
