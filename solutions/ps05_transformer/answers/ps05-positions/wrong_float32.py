"""Angles are computed in single precision, which is too coarse far out.

Message: at large positions float32 is too coarse for a sine
"""


def encode_positions(p, size):
    frequency = 10000.0 ** (-torch.arange(0, size, 2, dtype=torch.float32) / size)
    angles = p.float().unsqueeze(-1) * frequency
    return torch.stack([angles.sin(), angles.cos()], dim=-1).flatten(-2).double()
