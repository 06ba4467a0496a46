# %% right: loops
# Written with loops over plain numbers: each weight is the one above it, faded.


def one_recurrence(weights):
    answers = []
    for rows in weights.tolist():
        good = True
        for t in range(1, len(rows)):
            for i in range(t):
                good = good and abs(rows[t][i] - (1 - rows[t][t]) * rows[t - 1][i]) <= 1e-6
        answers.append(good)
    return torch.tensor(answers)


# %% right: rebuilt
# Written by running the recurrence with the gates on the diagonal, and comparing all weights.


def one_recurrence(weights):
    gates = weights.diagonal(dim1=1, dim2=2)
    row, rows = torch.zeros_like(weights[:, 0]), []
    for t in range(weights.shape[1]):
        row = row * (1 - gates[:, t : t + 1])
        row[:, t] = gates[:, t]
        rows.append(row.clone())
    return (torch.stack(rows, dim=1) - weights).abs().amax(dim=(1, 2)) <= 1e-6


# %% wrong: batch together
# One sentence that does not fit spoils the whole batch: there is one answer for all.
# Message: one answer a sentence


def one_recurrence(weights):
    gates = weights.diagonal(dim1=1, dim2=2)
    faded = weights[:, :-1] * (1 - gates[:, 1:]).unsqueeze(2)
    return ((weights[:, 1:] - faded - torch.diag_embed(gates)[:, 1:]).abs() <= 1e-6).all()


# %% wrong: exact
# Numbers that differ by rounding count as different.
# Message: allow a difference of 1e-6


def one_recurrence(weights):
    gates = weights.diagonal(dim1=1, dim2=2)
    faded = weights[:, :-1] * (1 - gates[:, 1:]).unsqueeze(2)
    return (faded + torch.diag_embed(gates)[:, 1:] == weights[:, 1:]).flatten(1).all(dim=1)


# %% wrong: last row
# Only the last row is compared with the one before.
# Message: Compare every row with the one before it, not the last row alone


def one_recurrence(weights):
    if weights.shape[1] == 1:
        return torch.ones(len(weights)) > 0
    gate = weights[:, -1, -1:]
    return ((weights[:, -1, :-1] - (1 - gate) * weights[:, -2, :-1]).abs() <= 1e-6).all(dim=1)


# %% wrong: library
# The library unrolls the recurrence whose gates stand on the diagonal.
# Message: your answer calls course_lib.attention.gates.unrolled_weights


from course_lib.attention import unrolled_weights


def one_recurrence(weights):
    gates = weights.diagonal(dim1=1, dim2=2).unsqueeze(-1)
    return ((unrolled_weights(gates).squeeze(-1) - weights).abs() <= 1e-6)[:, 1:].flatten(1).all(dim=1)


# %% wrong: newest only
# Of each row only the newest of the faded weights is compared.
# Message: Every weight of a row must fit, also the oldest


def one_recurrence(weights):
    gates = weights.diagonal(dim1=1, dim2=2)
    faded = gates[:, :-1] * (1 - gates[:, 1:])
    return ((weights.diagonal(offset=-1, dim1=1, dim2=2) - faded).abs() <= 1e-6).all(dim=1)


# %% wrong: quotients
# Quotients of two rows are compared; a weight of 0 makes them NaN.
# Message: a quotient of two rows is then 0 / 0


def one_recurrence(weights):
    answers = []
    for rows in weights:
        good = True
        for t in range(1, len(rows)):
            quotients = rows[t, :t] / rows[t - 1, :t]
            good = good and bool(((quotients - (1 - rows[t, t])).abs() <= 1e-5).all())
        answers.append(good)
    return torch.tensor(answers)


# %% wrong: row sums
# Only the sums of the rows are looked at.
# Message: Row sums cannot tell


def one_recurrence(weights):
    return ((weights.sum(dim=2) - 1).abs() <= 1e-6).all(dim=1)


# %% wrong: no absolute value
# Only weights that are too large count as different.
# Message: Too little is as wrong as too much


def one_recurrence(weights):
    gates = weights.diagonal(dim1=1, dim2=2)
    rows = weights[:, :-1] * (1 - gates[:, 1:]).unsqueeze(2) + torch.diag_embed(gates)[:, 1:]
    return (weights[:, 1:] - rows <= 1e-6).flatten(1).all(dim=1)
