"""The split is compared with the one right order of the features.

Message: Another order of the features does not mix positions
"""


def mixes_positions(split, heads):
    x = torch.arange(2 * 3 * 2 * heads).reshape(2, 3, 2 * heads)
    return not torch.equal(split(x, heads), x.reshape(2, 3, heads, 2).transpose(1, 2))
