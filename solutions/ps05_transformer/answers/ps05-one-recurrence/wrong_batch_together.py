"""One sentence that does not fit spoils the whole batch: there is one answer for all.

Message: one answer a sentence
"""


def one_recurrence(weights):
    gates = weights.diagonal(dim1=1, dim2=2)
    faded = weights[:, :-1] * (1 - gates[:, 1:]).unsqueeze(2)
    return ((weights[:, 1:] - faded - torch.diag_embed(gates)[:, 1:]).abs() <= 1e-6).all()
