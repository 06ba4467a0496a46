"""The values of p are ignored; positions are counted.

Message: Take the positions in p as they are
"""


def encode_positions(p, size):
    frequency = 10000.0 ** (-torch.arange(0, size, 2, dtype=torch.float64) / size)
    angles = torch.arange(len(p)).double().unsqueeze(-1) * frequency
    return torch.stack([angles.sin(), angles.cos()], dim=-1).flatten(-2)
