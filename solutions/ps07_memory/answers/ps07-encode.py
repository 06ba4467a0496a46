# %% right: loops
# Written sentence by sentence and word by word.


def encode(x, lengths):
    sums = torch.zeros_like(x[:, 0])
    k = torch.arange(1, x.shape[2] + 1, dtype=x.dtype) / x.shape[2]
    for b, J in enumerate(lengths.tolist()):
        for j in range(1, J + 1):
            sums[b] += (1 - j / J - k * (1 - 2 * j / J)) * x[b, j - 1]
    return sums


# %% right: two sums
# Written as a sum with the places of the words, and one without.


def encode(x, lengths):
    _, words, size = x.shape
    place = torch.arange(1, words + 1)
    x = torch.where((place <= lengths[:, None])[..., None], x, 0.0)
    share = (place / lengths.clamp(min=1)[:, None].double()).to(x.dtype)[..., None]
    k = torch.arange(1, size + 1, dtype=x.dtype) / size
    return (1 - k) * x.sum(1) + (2 * k - 1) * (share * x).sum(1)


# %% wrong: bag
# The words are summed without weights.
# Message: That is the plain sum


def encode(x, lengths):
    real = torch.arange(x.shape[1]) < lengths.unsqueeze(-1)
    return x.masked_fill(~real.unsqueeze(-1), 0).sum(dim=1)


# %% wrong: places for words
# J is taken to be the number of places, padding included.
# Message: J is the length of the sentence, not the number of places.


def encode(x, lengths):
    J, d = x.shape[1:]
    j = torch.arange(1, J + 1).to(x).unsqueeze(-1)
    k = torch.arange(1, d + 1).to(x)
    weights = (1 - j / J) - k / d * (1 - 2 * j / J)
    return (weights * x).masked_fill(j > lengths.reshape(-1, 1, 1), 0).sum(dim=1)


# %% wrong: from 0
# Words and features are counted from 0.
# Message: Words and features count from 1, not from 0.


def encode(x, lengths):
    j = torch.arange(x.shape[1]).to(x).unsqueeze(-1)
    k = torch.arange(x.shape[2]).to(x)
    J = lengths.clamp(min=1).to(x).reshape(-1, 1, 1)
    weights = (1 - j / J) - k / x.shape[2] * (1 - 2 * j / J)
    return (weights * x).masked_fill(j >= lengths.reshape(-1, 1, 1), 0).sum(dim=1)


# %% wrong: features from 0
# The features are counted from 0.
# Message: Features count from 1, not from 0.


def encode(x, lengths):
    j = torch.arange(1, x.shape[1] + 1).to(x).unsqueeze(-1)
    k = torch.arange(x.shape[2]).to(x)
    J = lengths.clamp(min=1).to(x).reshape(-1, 1, 1)
    weights = (1 - j / J) - k / x.shape[2] * (1 - 2 * j / J)
    return (weights * x).masked_fill(j > lengths.reshape(-1, 1, 1), 0).sum(dim=1)


# %% wrong: words from 0
# The words are counted from 0.
# Message: Words count from 1, not from 0.


def encode(x, lengths):
    j = torch.arange(x.shape[1]).to(x).unsqueeze(-1)
    k = torch.arange(1, x.shape[2] + 1).to(x)
    J = lengths.clamp(min=1).to(x).reshape(-1, 1, 1)
    weights = (1 - j / J) - k / x.shape[2] * (1 - 2 * j / J)
    return (weights * x).masked_fill(j >= lengths.reshape(-1, 1, 1), 0).sum(dim=1)


# %% wrong: no words
# A sentence without words is divided by its length.
# Message: A sentence without words has the sum 0.


def encode(x, lengths):
    sums = []
    for vectors, J in zip(x, lengths, strict=True):
        j = torch.arange(1, x.shape[1] + 1).to(x).unsqueeze(-1)
        k = torch.arange(1, x.shape[2] + 1).to(x) / x.shape[2]
        weights = (1 - j / J) - k * (1 - 2 * j / J)
        sums.append((weights * (j <= J) * vectors).sum(dim=0))
    return torch.stack(sums)


# %% wrong: padding times 0
# Padding is multiplied by 0, which leaves NaN where it is infinite.
# Message: Leave padding out; 0 times infinity is NaN.


def encode(x, lengths):
    j = torch.arange(1, x.shape[1] + 1).to(x).unsqueeze(-1)
    k = torch.arange(1, x.shape[2] + 1).to(x)
    J = lengths.clamp(min=1).to(x).reshape(-1, 1, 1)
    weights = (1 - j / J) - k / x.shape[2] * (1 - 2 * j / J)
    return (weights * (j <= lengths.reshape(-1, 1, 1)) * x).sum(dim=1)
