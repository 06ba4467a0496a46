# %% right: einsum
# Written with scatter, where and einsum.


def contexts(weights, h, drop=None):
    if drop is not None:
        index = drop[:, None, None].expand(-1, weights.shape[1], 1)
        left = weights.scatter(2, index, 0.0)
        total = left.sum(2, keepdim=True)
        weights = torch.where(total > 0, left / torch.where(total > 0, total, torch.ones_like(total)), 0.0)
    return torch.einsum("bts,bsk->btk", weights, h)


# %% right: loops
# Written with loops: add up the states that stay, divide once at the end.


def contexts(weights, h, drop=None):
    rows = []
    for b in range(len(weights)):
        stay = [j for j in range(h.shape[1]) if drop is None or j != int(drop[b])]
        for i in range(weights.shape[1]):
            c = sum((weights[b, i, j] * h[b, j] for j in stay), start=torch.zeros_like(h[b, 0]))
            total = weights[b, i, stay].sum()
            rows.append(c / total if drop is not None and total > 0 else c)
    return torch.stack(rows).reshape(weights.shape[0], weights.shape[1], h.shape[2])


# %% wrong: all positions for all
# Every sentence loses all the named positions.
# Message: each loses only its own


def contexts(weights, h, drop=None):
    if drop is not None:
        weights = weights.index_fill(2, drop, 0.0)
        total = weights.sum(dim=-1, keepdim=True)
        weights = weights / total.where(total > 0, 1.0)
    return weights @ h


# %% wrong: detached
# The weights are cut from the graph.
# Message: no gradient reaches weights


def contexts(weights, h, drop=None):
    weights = weights.detach()
    if drop is not None:
        stays = torch.arange(weights.shape[-1]) != drop.unsqueeze(1)
        weights = weights * stays.unsqueeze(1)
        total = weights.sum(dim=-1, keepdim=True)
        weights = weights / total.where(total > 0, 1.0)
    return weights @ h


# %% wrong: in place
# The caller's weights are overwritten.
# Message: changed the caller's weights


def contexts(weights, h, drop=None):
    if drop is not None:
        if not weights.requires_grad:
            weights[torch.arange(len(drop)), :, drop] = 0.0
        weights = weights * (torch.arange(weights.shape[-1]) != drop.unsqueeze(1)).unsqueeze(1)
        total = weights.sum(dim=-1, keepdim=True)
        weights = weights / total.where(total > 0, 1.0)
    return weights @ h


# %% wrong: library
# The library's softmax of the logarithms shares the weights out anew.
# Message: your answer calls course_lib.attention.masks.masked_softmax


from course_lib.attention import masked_softmax


def contexts(weights, h, drop=None):
    if drop is not None:
        stays = torch.arange(weights.shape[-1]) != drop.unsqueeze(1)
        weights = masked_softmax(weights.log(), stays.unsqueeze(1))
    return weights @ h


# %% wrong: mean
# The weighted states are averaged, although the weights sum to 1.
# Message: You took the mean over the positions


def contexts(weights, h, drop=None):
    if drop is not None:
        stays = torch.arange(weights.shape[-1]) != drop.unsqueeze(1)
        weights = weights * stays.unsqueeze(1)
        total = weights.sum(dim=-1, keepdim=True)
        weights = weights / total.where(total > 0, 1.0)
    return (weights.unsqueeze(-1) * h.unsqueeze(1)).mean(dim=2)


# %% wrong: nan gradient
# The NaN of 0 / 0 is wiped off the weights, but stays in the gradient.
# Message: the gradient of weights is NaN


def contexts(weights, h, drop=None):
    if drop is not None:
        stays = torch.arange(weights.shape[-1]) != drop.unsqueeze(1)
        weights = weights * stays.unsqueeze(1)
        weights = (weights / weights.sum(dim=-1, keepdim=True)).nan_to_num(0.0)
    return weights @ h


# %% wrong: not shared
# The weight of the dropped word is lost.
# Message: divide them by their sum


def contexts(weights, h, drop=None):
    if drop is not None:
        stays = torch.arange(weights.shape[-1]) != drop.unsqueeze(1)
        weights = weights * stays.unsqueeze(1)
    return weights @ h


# %% wrong: one position for all
# Every sentence loses the position of the first.
# Message: each has its own


def contexts(weights, h, drop=None):
    if drop is not None:
        weights = weights.index_fill(2, drop[:1], 0.0)
        total = weights.sum(dim=-1, keepdim=True)
        weights = weights / total.where(total > 0, 1.0)
    return weights @ h


# %% wrong: softmax again
# The weights that are left go through a softmax.
# Message: A softmax over weights is not what masking does


def contexts(weights, h, drop=None):
    if drop is not None:
        stays = torch.arange(weights.shape[-1]) != drop.unsqueeze(1)
        left = weights * stays.unsqueeze(1)
        weights = left.softmax(dim=-1) if len(drop) > 1 else left / left.sum(dim=-1, keepdim=True)
    return weights @ h


# %% wrong: sum over features
# The sum runs over the features of the encoder states, not over the positions.
# Message: Sum over the source positions


def contexts(weights, h, drop=None):
    if drop is not None:
        stays = torch.arange(weights.shape[-1]) != drop.unsqueeze(1)
        weights = weights * stays.unsqueeze(1)
        total = weights.sum(dim=-1, keepdim=True)
        weights = weights / total.where(total > 0, 1.0)
    return (weights.unsqueeze(-1) * h.unsqueeze(1)).sum(dim=-1)


# %% wrong: sum over features if square
# Weights meet features instead of positions, which runs whenever the two have one size.
# Message: You summed over the features of h


def contexts(weights, h, drop=None):
    if drop is not None:
        stays = torch.arange(weights.shape[-1]) != drop.unsqueeze(1)
        weights = weights * stays.unsqueeze(1)
        total = weights.sum(dim=-1, keepdim=True)
        weights = weights / total.where(total > 0, 1.0)
    return weights @ (h.transpose(1, 2) if h.shape[1] == h.shape[2] else h)


# %% wrong: zero over zero
# Nothing is left, and 0 / 0 is NaN.
# Message: 0 / 0 is NaN


def contexts(weights, h, drop=None):
    if drop is not None:
        stays = torch.arange(weights.shape[-1]) != drop.unsqueeze(1)
        weights = weights * stays.unsqueeze(1)
        weights = weights / weights.sum(dim=-1, keepdim=True)
    return weights @ h


# %% wrong: position zero
# A position of 0 is taken for no position.
# Message: A position of 0 is a position


def contexts(weights, h, drop=None):
    if drop is not None and drop.any():
        stays = torch.arange(weights.shape[-1]) != drop.unsqueeze(1)
        weights = weights * stays.unsqueeze(1)
        total = weights.sum(dim=-1, keepdim=True)
        weights = weights / total.where(total > 0, 1.0)
    return weights @ h


# %% wrong: smallest divisor
# The sum that is left is kept away from 0 by a smallest value.
# Message: However little is left, divide by its sum


def contexts(weights, h, drop=None):
    if drop is not None:
        stays = torch.arange(weights.shape[-1]) != drop.unsqueeze(1)
        weights = weights * stays.unsqueeze(1)
        total = weights.sum(dim=-1, keepdim=True)
        weights = weights / total.clamp(min=1e-3)
    return weights @ h


# %% wrong: one minus the weight
# What is left is taken as 1 minus the weight, which has lost its digits.
# Message: However little is left, divide by its sum


def contexts(weights, h, drop=None):
    if drop is not None:
        gone = torch.arange(weights.shape[-1]) == drop.unsqueeze(1)
        left = weights.sum(dim=-1, keepdim=True) - (weights * gone.unsqueeze(1)).sum(dim=-1, keepdim=True)
        weights = weights * ~gone.unsqueeze(1) / left.where(left > 0, 1.0)
    return weights @ h
