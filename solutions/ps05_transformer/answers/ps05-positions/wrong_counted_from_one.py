"""Positions are counted from 1.

Message: Positions are counted from 0
"""


def encode_positions(p, size):
    frequency = 10000.0 ** (-torch.arange(0, size, 2, dtype=torch.float64) / size)
    angles = (p.double() + 1).unsqueeze(-1) * frequency
    return torch.stack([angles.sin(), angles.cos()], dim=-1).flatten(-2)
