"""The exponent counts pairs, not features.

Message: The exponent is 2i/size for pair i; yours is i/size
"""


def encode_positions(p, size):
    frequency = 10000.0 ** (-torch.arange(size // 2, dtype=torch.float64) / size)
    angles = p.double().unsqueeze(-1) * frequency
    return torch.stack([angles.sin(), angles.cos()], dim=-1).flatten(-2)
