"""Only the sums of the rows are looked at.

Message: Row sums cannot tell
"""


def one_recurrence(weights):
    return ((weights.sum(dim=2) - 1).abs() <= 1e-6).all(dim=1)
