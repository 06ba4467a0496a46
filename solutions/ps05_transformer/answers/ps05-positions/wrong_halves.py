"""All sines come first, then all cosines.

Message: yours has all sines first
"""


def encode_positions(p, size):
    frequency = 10000.0 ** (-torch.arange(0, size, 2, dtype=torch.float64) / size)
    angles = p.double().unsqueeze(-1) * frequency
    return torch.cat([angles.sin(), angles.cos()], dim=-1)
