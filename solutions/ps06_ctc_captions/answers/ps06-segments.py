# %% right: runs
# Written with groupby, blanks left out at the end.


def segments(path):
    from itertools import groupby

    found, at = [], 0
    for label, run in groupby(path):
        size = len(list(run))
        found.append((label, at, at + size))
        at += size
    return [entry for entry in found if entry[0]]


# %% right: borders
# Written with the steps at which the label changes.


def segments(path):
    from itertools import pairwise

    borders = [0, *(i for i in range(1, len(path)) if path[i] != path[i - 1]), len(path)]
    pairs = pairwise(borders)
    return [(path[start], start, end) for start, end in pairs if start < end and path[start] != 0]


# %% wrong: blanks dropped first
# Blanks are dropped before repeats are joined.
# Message: Join repeats first, then drop blanks


def segments(path):
    found = []
    for step, label in enumerate(path):
        if label == 0:
            continue
        if found and found[-1][0] == label:
            found[-1] = (label, found[-1][1], step + 1)
        else:
            found.append((label, step, step + 1))
    return found


# %% wrong: nothing joined
# Each step that says a label writes it.
# Message: Repeats without a blank between are one label.


def segments(path):
    return [(label, step, step + 1) for step, label in enumerate(path) if label]


# %% wrong: blanks written
# Blanks are written as well.
# Message: Blanks are not written.


def segments(path):
    from itertools import pairwise

    borders = [0, *(i for i in range(1, len(path)) if path[i] != path[i - 1]), len(path)]
    return [(path[a], a, b) for a, b in pairwise(borders) if a < b]


# %% wrong: last step
# The end is the last step, not the one behind it.
# Message: The end is the step behind the last one.


def segments(path):
    from itertools import pairwise

    borders = [0, *(i for i in range(1, len(path)) if path[i] != path[i - 1]), len(path)]
    return [(path[a], a, b - 1) for a, b in pairwise(borders) if a < b and path[a]]


# %% wrong: the last run is lost
# A run is written down only when another follows.
# Message: The last run ends with the path.


def segments(path):
    found, start = [], 0
    for step in range(1, len(path)):
        if path[step] != path[start]:
            if path[start]:
                found.append((path[start], start, step))
            start = step
    return found
