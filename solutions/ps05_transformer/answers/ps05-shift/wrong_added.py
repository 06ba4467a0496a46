"""The encoding of k is added.

Message: You added PE(k)
"""


def shift(encoding, k):
    size = encoding.shape[-1]
    angle = k * 10000.0 ** (-torch.arange(0, size, 2, dtype=encoding.dtype) / size)
    return encoding + torch.stack([angle.sin(), angle.cos()], dim=-1).flatten(-2)
