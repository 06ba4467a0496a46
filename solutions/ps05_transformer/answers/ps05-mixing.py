# %% right: perturbed
# Written with one change at a time: only position p may answer to a change of position p.


def mixes_positions(split, heads):
    x = torch.zeros(2, 4, 3 * heads)
    before = split(x, heads)
    for sentence in range(2):
        for p in range(4):
            changed = x.clone()
            changed[sentence, p] = 1.0
            moved = (split(changed, heads) - before)[sentence]
            if moved[:, :p].any() or moved[:, p + 1 :].any():
                return True
    return False


# %% right: sets
# Written with sets: every number tells its position, whatever its feature and its sentence.


def mixes_positions(split, heads):
    length, model = 6, 2 * heads
    x = torch.arange(2 * length * model).reshape(2, length, model)
    for parts in split(x, heads):
        for part in parts:
            for p, row in enumerate(part.tolist()):
                if {number // model % length for number in row} != {p}:
                    return True
    return False


# %% wrong: all equal
# All positions are put in alike, so nothing can be seen.
# Message: Give each position a number of its own


def mixes_positions(split, heads):
    x = torch.ones(2, 4, 2 * heads)
    return not bool((split(x, heads) == 1).all())


# %% wrong: compared with own
# The split is compared with the one right order of the features.
# Message: Another order of the features does not mix positions


def mixes_positions(split, heads):
    x = torch.arange(2 * 3 * 2 * heads).reshape(2, 3, 2 * heads)
    return not torch.equal(split(x, heads), x.reshape(2, 3, heads, 2).transpose(1, 2))


# %% wrong: fixed size
# The size of the input does not fit every number of heads.
# Message: must be a multiple of `heads`


def mixes_positions(split, heads):
    x = torch.arange(5).reshape(1, 5, 1).expand(3, 5, 12)
    return not bool((split(x, heads) == torch.arange(5).reshape(5, 1)).all())


# %% wrong: one position
# Only position 0 is looked at.
# Message: Look at every sentence, every head and every position


def mixes_positions(split, heads):
    x = torch.arange(4).reshape(1, 4, 1).expand(3, 4, 2 * heads)
    return bool((split(x, heads)[:, :, 0] != 0).any())


# %% wrong: one sentence
# Only one sentence is put in, and only its first head is looked at.
# Message: put in more than one sentence


def mixes_positions(split, heads):
    x = torch.arange(4).reshape(1, 4, 1).expand(1, 4, 2 * heads)
    return not torch.equal(split(x, heads)[0, 0], x[0, :, :2])


# %% wrong: round trip
# The colleague's test again: it asks whether all numbers are still there.
# Message: look which numbers arrive at position p


def mixes_positions(split, heads):
    x = torch.arange(2 * 3 * 2 * heads).reshape(2, 3, 2 * heads)
    return not torch.equal(split(x, heads).reshape(-1).sort().values, x.reshape(-1))
