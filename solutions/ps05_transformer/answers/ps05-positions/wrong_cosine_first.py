"""The cosine stands before the sine.

Message: The sine comes first
"""


def encode_positions(p, size):
    frequency = 10000.0 ** (-torch.arange(0, size, 2, dtype=torch.float64) / size)
    angles = p.double().unsqueeze(-1) * frequency
    return torch.stack([angles.cos(), angles.sin()], dim=-1).flatten(-2)
