"""Numbers that differ by rounding count as different.

Message: allow a difference of 1e-6
"""


def one_recurrence(weights):
    gates = weights.diagonal(dim1=1, dim2=2)
    faded = weights[:, :-1] * (1 - gates[:, 1:]).unsqueeze(2)
    return (faded + torch.diag_embed(gates)[:, 1:] == weights[:, 1:]).flatten(1).all(dim=1)
