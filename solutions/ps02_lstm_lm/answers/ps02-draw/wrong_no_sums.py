"""The numbers are compared with the probabilities, not with their sums.

Message: Compare u with the sums of the probabilities
"""


def draw(p, u):
    return (p <= u.unsqueeze(1)).sum(dim=1)
