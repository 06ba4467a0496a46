"""Every feature has a frequency of its own.

Message: Sine and cosine of one pair share a frequency
"""


def encode_positions(p, size):
    feature = torch.arange(size)
    angles = p.double().unsqueeze(-1) * 10000.0 ** (-feature.double() / size)
    return torch.where(feature % 2 == 0, angles.sin(), angles.cos())
