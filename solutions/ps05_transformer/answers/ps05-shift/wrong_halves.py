"""The first half is taken for the sines, the second for the cosines.

Message: The pairs are sine and cosine side by side
"""


def shift(encoding, k):
    size = encoding.shape[-1]
    angle = k * 10000.0 ** (-torch.arange(0, size, 2, dtype=encoding.dtype) / size)
    a, b = encoding.chunk(2, dim=-1)
    return torch.cat([a * angle.cos() + b * angle.sin(), b * angle.cos() - a * angle.sin()], dim=-1)
