# %% right: loops
# Written row by row and share by share.


def shift(w, s):
    rows, steps = w.shape[1], s.shape[1]
    if not steps % 2 or steps > rows:
        raise ValueError("an odd number of shares, no more than rows")
    moved = torch.zeros_like(w)
    for i in range(rows):
        for place in range(steps):
            moved[:, i] += s[:, place] * w[:, (i - place + steps // 2) % rows]
    return moved


# %% right: windows of the ring
# Written with the ring opened, its ends repeated, and a window for each row.


def shift(w, s):
    reach = s.shape[1] // 2
    if s.shape[1] != 2 * reach + 1 or s.shape[1] > w.shape[1]:
        raise ValueError(f"{s.shape[1]} shares do not fit {w.shape[1]} rows")
    opened = torch.cat([w[:, w.shape[1] - reach :], w, w[:, :reach]], dim=1)
    return (opened.unfold(1, s.shape[1], 1) * s.flip(1).unsqueeze(1)).sum(dim=-1)


# %% wrong: backwards
# The last share moves to lower rows.
# Message: The direction is wrong


def shift(w, s):
    steps, rows = s.shape[1], w.shape[1]
    if steps % 2 == 0 or steps > rows:
        raise ValueError("shares")
    return sum(s[:, [place]] * w.roll(steps // 2 - place, dims=1) for place in range(steps))


# %% wrong: a line
# What leaves at one end is lost.
# Message: The tape is a ring


def shift(w, s):
    steps, rows = s.shape[1], w.shape[1]
    if steps % 2 == 0 or steps > rows:
        raise ValueError("shares")
    reach = steps // 2
    opened = torch.nn.functional.pad(w, (reach, reach))
    return (opened.unfold(1, steps, 1) * s.flip(1).unsqueeze(1)).sum(dim=-1)


# %% wrong: from no step on
# The first share stays, the others move on.
# Message: The first share moves R rows back; the middle one stays.


def shift(w, s):
    steps, rows = s.shape[1], w.shape[1]
    if steps % 2 == 0 or steps > rows:
        raise ValueError("shares")
    return sum(s[:, [place]] * w.roll(place, dims=1) for place in range(steps))


# %% wrong: one kernel for all
# All memories of the batch move by the shares of the first.
# Message: Each memory of the batch has shares of its own.


def shift(w, s):
    steps, rows = s.shape[1], w.shape[1]
    if steps % 2 == 0 or steps > rows:
        raise ValueError("shares")
    return sum(s[0, place] * w.roll(place - steps // 2, dims=1) for place in range(steps))


# %% wrong: anything goes
# Numbers of shares that are not allowed are taken.
# Message: That number of shares is not allowed.


def shift(w, s):
    steps = s.shape[1]
    return sum(s[:, [place]] * w.roll(place - steps // 2, dims=1) for place in range(steps))


# %% wrong: too many shares
# Even numbers are refused, but more shares than rows are taken.
# Message: with 5 rows and 7 shares: expected a ValueError


def shift(w, s):
    steps = s.shape[1]
    if steps % 2 == 0:
        raise ValueError("even")
    return sum(s[:, [place]] * w.roll(place - steps // 2, dims=1) for place in range(steps))


# %% wrong: as many shares as rows refused
# As many shares as rows are allowed, and refused here.
# Message: your code raised ValueError


def shift(w, s):
    steps = s.shape[1]
    if steps % 2 == 0 or steps >= w.shape[1]:
        raise ValueError("shares")
    return sum(s[:, [place]] * w.roll(place - steps // 2, dims=1) for place in range(steps))
