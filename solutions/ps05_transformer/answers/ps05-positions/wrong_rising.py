"""The frequencies rise: the sign of the exponent is lost.

Message: The frequencies should fall, not rise
"""


def encode_positions(p, size):
    frequency = 10000.0 ** (torch.arange(0, size, 2, dtype=torch.float64) / size)
    angles = p.double().unsqueeze(-1) * frequency
    return torch.stack([angles.sin(), angles.cos()], dim=-1).flatten(-2)
