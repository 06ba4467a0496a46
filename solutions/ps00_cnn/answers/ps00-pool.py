# %% right: loops
# Written window by window.


def max_pool(x, size, stride):
    rows, columns = (range(0, n - size + 1, stride) for n in x.shape[2:])
    y = x.new_empty(*x.shape[:2], len(rows), len(columns))
    for place, i in enumerate(rows):
        for k, j in enumerate(columns):
            y[:, :, place, k] = x[:, :, i : i + size, j : j + size].flatten(2).max(dim=2).values
    return y


# %% right: rows then columns
# Written with the largest of each row of a window first, then of these.


def max_pool(x, size, stride):
    by_row = x.unfold(3, size, stride).max(dim=-1).values
    return by_row.unfold(2, size, stride).max(dim=-1).values


# %% wrong: mean
# The mean of each window is taken.
# Message: That is the mean of each window


def max_pool(x, size, stride):
    return x.unfold(2, size, stride).unfold(3, size, stride).mean(dim=(4, 5))


# %% wrong: 0 wins
# The search for the largest starts at 0.
# Message: no 0 may win


def max_pool(x, size, stride):
    y = x.new_zeros(*x.shape[:2], *((n - size) // stride + 1 for n in x.shape[2:]))
    for i in range(y.shape[2]):
        for j in range(y.shape[3]):
            for number in (
                x[:, :, i * stride : i * stride + size, j * stride : j * stride + size].flatten(2).unbind(-1)
            ):
                y[:, :, i, j] = torch.maximum(y[:, :, i, j], number)
    return y


# %% wrong: side by side
# Windows are taken to lie side by side: the stride is the size.
# Message: expected shape (batch 2, channels 3, lower 3, narrower 2), got (2, 3, 2, 2)


def max_pool(x, size, stride):
    return x.unfold(2, size, size).unfold(3, size, size).amax(dim=(4, 5))


# %% wrong: what is left counts
# The rest at the end of a row is taken for a window.
# Message: expected shape


def max_pool(x, size, stride):
    rows = range(0, x.shape[2], stride)
    columns = range(0, x.shape[3], stride)
    return torch.stack(
        [
            torch.stack([x[:, :, i : i + size, j : j + size].amax(dim=(2, 3)) for j in columns], dim=-1)
            for i in rows
        ],
        dim=2,
    )


# %% wrong: library
# torch has it ready-made.
# Message: your answer calls torch's max_pool2d


def max_pool(x, size, stride):
    return torch.nn.functional.max_pool2d(x, size, stride)
