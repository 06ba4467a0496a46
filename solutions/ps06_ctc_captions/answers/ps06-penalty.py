# %% right: loops
# Written for one caption and one place at a time.


def penalty(alpha, lengths):
    total = alpha.new_zeros(())
    for caption, length in zip(alpha, lengths.tolist(), strict=True):
        for place in caption[:length].T:
            total = total + (1 - place.sum()) ** 2
    return total / len(alpha)


# %% right: filled
# Padding is filled with zeros by a mask.


def penalty(alpha, lengths):
    steps = torch.arange(alpha.shape[1])
    padding = steps[None, :, None] >= lengths[:, None, None]
    missing = 1 - alpha.masked_fill(padding, 0).sum(dim=1)
    return torch.einsum("bp,bp->", missing, missing) / alpha.shape[0]


# %% wrong: padding counted
# Every step counts as a look.
# Message: Padding is no look


def penalty(alpha, lengths):
    return (1 - alpha.sum(dim=1)).square().sum(dim=1).mean()


# %% wrong: one step too many
# The first step of padding counts as a look.
# Message: the steps t < T are real


def penalty(alpha, lengths):
    real = torch.arange(alpha.shape[1]) <= lengths[:, None]
    return (1 - (alpha * real[:, :, None]).sum(dim=1)).square().sum(dim=1).mean()


# %% wrong: last word left out
# The last word of each caption is taken for padding.
# Message: yours leave out each caption's last word


def penalty(alpha, lengths):
    real = torch.arange(alpha.shape[1]) < lengths[:, None] - 1
    return (1 - (alpha * real[:, :, None]).sum(dim=1)).square().sum(dim=1).mean()


# %% wrong: sum over captions
# The captions are added up.
# Message: Take the mean over the captions, not their sum.


def penalty(alpha, lengths):
    real = torch.arange(alpha.shape[1]) < lengths[:, None]
    return (1 - (alpha * real[:, :, None]).sum(dim=1)).square().sum()


# %% wrong: mean over places
# The mean of the places' squares.
# Message: the mean is over captions alone


def penalty(alpha, lengths):
    real = torch.arange(alpha.shape[1]) < lengths[:, None]
    return (1 - (alpha * real[:, :, None]).sum(dim=1)).square().mean()


# %% wrong: squared too late
# What is missing at some places makes up for what is too much at others.
# Message: Square what is missing at each place, then sum


def penalty(alpha, lengths):
    real = torch.arange(alpha.shape[1]) < lengths[:, None]
    return (1 - (alpha * real[:, :, None]).sum(dim=1)).sum(dim=1).square().mean()


# %% wrong: squared at each step
# Each look alone should have a weight of 1 everywhere.
# Message: one square for each place, not for each step


def penalty(alpha, lengths):
    real = torch.arange(alpha.shape[1]) < lengths[:, None]
    return ((1 - alpha).square() * real[:, :, None]).sum(dim=(1, 2)).mean()


# %% wrong: rows
# The sums of the rows are compared with 1.
# Message: the columns are asked for


def penalty(alpha, lengths):
    real = torch.arange(alpha.shape[1]) < lengths[:, None]
    return ((1 - alpha.sum(dim=2)).square() * real).sum(dim=1).mean()


# %% wrong: in place
# Padding is set to 0 in the caller's tensor.
# Message: your function changed the caller's alpha


def penalty(alpha, lengths):
    for caption, length in zip(alpha.detach(), lengths.tolist(), strict=True):
        caption[length:] = 0
    return (1 - alpha.sum(dim=1)).square().sum(dim=1).mean()


# %% wrong: no gradient
# The number is computed outside of torch.
# Message: expected a torch tensor


def penalty(alpha, lengths):
    return sum(
        (1 - sum(row[i] for row in rows[:length])) ** 2 / len(lengths)
        for rows, length in zip(alpha.tolist(), lengths.tolist(), strict=True)
        for i in range(alpha.shape[2])
    )
