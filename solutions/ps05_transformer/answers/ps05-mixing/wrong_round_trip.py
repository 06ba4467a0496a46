"""The colleague's test again: it asks whether all numbers are still there.

Message: look which numbers arrive at position p
"""


def mixes_positions(split, heads):
    x = torch.arange(2 * 3 * 2 * heads).reshape(2, 3, 2 * heads)
    return not torch.equal(split(x, heads).reshape(-1).sort().values, x.reshape(-1))
