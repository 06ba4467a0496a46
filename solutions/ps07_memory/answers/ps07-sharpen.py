# %% right: by quotients
# Written with each weight's share of the largest, which is 1 to any power.


def sharpen(w, gamma):
    powers = (w / w.amax(dim=1, keepdim=True)) ** gamma.unsqueeze(1)
    return powers / powers.sum(dim=1, keepdim=True)


# %% right: logarithm of the sum
# Written with the logarithm of the sum, memory by memory.


def sharpen(w, gamma):
    rows = []
    for weights, power in zip(w, gamma, strict=True):
        logs = power * torch.log(weights)
        rows.append(torch.exp(logs - torch.logsumexp(logs, dim=0)))
    return torch.stack(rows)


# %% wrong: powers as they stand
# The powers vanish, and 0 is divided by 0.
# Message: Powers of small weights are 0, and 0 / 0 is NaN.


def sharpen(w, gamma):
    powers = w ** gamma.unsqueeze(1)
    return powers / powers.sum(dim=1, keepdim=True)


# %% wrong: saved from NaN
# The sum of powers that have vanished is kept from being 0.
# Message: Powers of small weights are 0, and 0 / 0 is NaN.


def sharpen(w, gamma):
    powers = w ** gamma.unsqueeze(1)
    return powers / powers.sum(dim=1, keepdim=True).clamp(min=1e-300)


# %% wrong: not divided
# The powers are returned as they are.
# Message: The powers are not yet divided by their sum.


def sharpen(w, gamma):
    return w ** gamma.unsqueeze(1)


# %% wrong: softmax of weights
# The logarithm is missing.
# Message: the logarithm is missing


def sharpen(w, gamma):
    return (gamma.unsqueeze(1) * w).softmax(dim=1)


# %% wrong: not sharpened
# The power is forgotten.
# Message: That is w as it was: gamma is missing.


def sharpen(w, gamma):
    return w.log().softmax(dim=1)


# %% wrong: a little added
# A small number is added to each weight.
# Message: A row of weight 0 keeps exactly 0: add nothing to the weights.


def sharpen(w, gamma):
    return (gamma.unsqueeze(1) * (w + 1e-8).log()).softmax(dim=1)


# %% wrong: raised to a least weight
# Small weights are raised.
# Message: add nothing to the weights


def sharpen(w, gamma):
    return (gamma.unsqueeze(1) * w.clamp(min=1e-8).log()).softmax(dim=1).masked_fill(w == 0, 0)
