# %% right: loops
# Written memory by memory, with what is left carried along.


def allocate(usage):
    weights = torch.zeros_like(usage)
    for b, numbers in enumerate(usage):
        left = 1.0
        for row in sorted(range(len(numbers)), key=lambda i: float(numbers[i])):
            weights[b, row] = (1 - numbers[row]) * left
            left = left * numbers[row]
    return weights


# %% right: who comes before
# Written without sorting: for each pair of rows, who comes first.


def allocate(usage):
    rows = usage.shape[1]
    mine, other = usage.unsqueeze(2), usage.unsqueeze(1)
    earlier = torch.ones(rows, rows, dtype=torch.bool).tril(-1)
    before = (other < mine) | ((other == mine) & earlier)
    return (1 - usage) * torch.where(before, other, torch.ones_like(other)).prod(dim=2)


# %% wrong: in sorted order
# The weights are left in the order of use.
# Message: These are in the order of use; each belongs to its row.


def allocate(usage):
    ordered = usage.sort(dim=1, stable=True).values
    left = torch.cat([torch.ones_like(ordered[:, :1]), ordered.cumprod(dim=1)[:, :-1]], dim=1)
    return (1 - ordered) * left


# %% wrong: home by the wrong way
# The weights are read by the order, not written by it.
# Message: The weights went to the wrong rows


def allocate(usage):
    ordered, order = usage.sort(dim=1, stable=True)
    left = torch.cat([torch.ones_like(ordered[:, :1]), ordered.cumprod(dim=1)[:, :-1]], dim=1)
    return ((1 - ordered) * left).gather(1, order)


# %% wrong: the row itself
# The row itself is in the product.
# Message: The product is of the rows before; the row itself is not in it.


def allocate(usage):
    ordered, order = usage.sort(dim=1, stable=True)
    return torch.zeros_like(usage).scatter(1, order, (1 - ordered) * ordered.cumprod(dim=1))


# %% wrong: most used first
# The rows are gone through from the most used on.
# Message: Begin with the least used row, not with the most used.


def allocate(usage):
    ordered, order = usage.sort(dim=1, descending=True, stable=True)
    left = torch.cat([torch.ones_like(ordered[:, :1]), ordered.cumprod(dim=1)[:, :-1]], dim=1)
    return torch.zeros_like(usage).scatter(1, order, (1 - ordered) * left)


# %% wrong: not sorted
# The rows are gone through as they stand.
# Message: Go through the rows from the least used on, not as they stand.


def allocate(usage):
    left = torch.cat([torch.ones_like(usage[:, :1]), usage.cumprod(dim=1)[:, :-1]], dim=1)
    return (1 - usage) * left


# %% wrong: what is free
# What the rows before have left does not count.
# Message: What the rows before have left is missing.


def allocate(usage):
    return 1 - usage


# %% wrong: last of equals first
# Of rows in equal use the one with the higher number comes first.
# Message: Of rows in equal use the one with the lower number comes first.


def allocate(usage):
    ordered, order = usage.flip(1).sort(dim=1, stable=True)
    left = torch.cat([torch.ones_like(ordered[:, :1]), ordered.cumprod(dim=1)[:, :-1]], dim=1)
    return torch.zeros_like(usage).scatter(1, order, (1 - ordered) * left).flip(1)


# %% wrong: divided out
# The row itself is taken out of the product by division, which fails where it is 0.
# Message: A full memory gets 0 everywhere.


def allocate(usage):
    ordered, order = usage.sort(dim=1, stable=True)
    return torch.zeros_like(usage).scatter(1, order, (1 - ordered) * ordered.cumprod(dim=1) / ordered)
