"""All positions are put in alike, so nothing can be seen.

Message: Give each position a number of its own
"""


def mixes_positions(split, heads):
    x = torch.ones(2, 4, 2 * heads)
    return not bool((split(x, heads) == 1).all())
