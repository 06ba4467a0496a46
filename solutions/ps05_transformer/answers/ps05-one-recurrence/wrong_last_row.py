"""Only the last row is compared with the one before.

Message: Compare every row with the one before it, not the last row alone
"""


def one_recurrence(weights):
    if weights.shape[1] == 1:
        return torch.ones(len(weights)) > 0
    gate = weights[:, -1, -1:]
    return ((weights[:, -1, :-1] - (1 - gate) * weights[:, -2, :-1]).abs() <= 1e-6).all(dim=1)
