# %% right: by trying
# Written by counting the places where a window may start.


def output_sizes(size, layers):
    found = []
    for taps, stride, padding, dilation in layers:
        last = size + padding - 1 - dilation * (taps - 1)
        size = len(range(-padding, last + 1, stride))
        if size == 0:
            raise ValueError("the layer does not fit")
        found.append(size)
    return found


# %% right: recursion
# Written with a function that calls itself, and floats rounded down.


def output_sizes(size, layers):
    if not layers:
        return []
    (F, S, P, D), *rest = layers
    out = np.floor((size + 2 * P - (D * (F - 1) + 1)) / S) + 1
    if out < 1:
        raise ValueError(f"{layers[0]} does not fit into {size}")
    return [int(out), *output_sizes(int(out), rest)]


# %% wrong: one side
# The padding is counted once.
# Message: The padding stands on both sides


def output_sizes(size, layers):
    sizes = []
    for taps, stride, padding, dilation in layers:
        left = size + padding - dilation * (taps - 1) - 1
        if left < 0:
            raise ValueError("too small")
        size = left // stride + 1
        sizes.append(size)
    return sizes


# %% wrong: dilation forgotten
# The dilation has no influence.
# Message: A dilation makes three taps span five places


def output_sizes(size, layers):
    sizes = []
    for taps, stride, padding, _ in layers:
        left = size + 2 * padding - taps
        if left < 0:
            raise ValueError("too small")
        size = left // stride + 1
        sizes.append(size)
    return sizes


# %% wrong: steps only
# Steps are counted, and the first place is left out.
# Message: The first place counts before any step is taken


def output_sizes(size, layers):
    sizes = []
    for taps, stride, padding, dilation in layers:
        left = size + 2 * padding - dilation * (taps - 1) - 1
        if left < 0:
            raise ValueError("too small")
        size = left // stride
        sizes.append(size)
    return sizes


# %% wrong: dilation times taps
# F taps are taken to span D F places.
# Message: With dilation D, F taps span D (F − 1) + 1 places; yours span D F


def output_sizes(size, layers):
    sizes = []
    for taps, stride, padding, dilation in layers:
        left = size + 2 * padding - dilation * taps
        if left < 0:
            raise ValueError("too small")
        size = left // stride + 1
        sizes.append(size)
    return sizes


# %% wrong: not refused
# A layer that does not fit gives 0 or less.
# Message: if that is more than W + 2 P, raise a ValueError


def output_sizes(size, layers):
    sizes = []
    for taps, stride, padding, dilation in layers:
        size = (size + 2 * padding - dilation * (taps - 1) - 1) // stride + 1
        sizes.append(size)
    return sizes


# %% wrong: refused too late
# With a large stride, a window that sticks out by a little is taken to fit: rounding towards 0 makes it one.
# Message: if that is more than W + 2 P, raise a ValueError


def output_sizes(size, layers):
    sizes = []
    for taps, stride, padding, dilation in layers:
        size = int((size + 2 * padding - dilation * (taps - 1) - 1) / stride) + 1
        if size < 1:
            raise ValueError("too small")
        sizes.append(size)
    return sizes


# %% wrong: last only
# Only the last size is returned.
# Message: Return the size behind every layer


def output_sizes(size, layers):
    for taps, stride, padding, dilation in layers:
        left = size + 2 * padding - dilation * (taps - 1) - 1
        if left < 0:
            raise ValueError("too small")
        size = left // stride + 1
    return size
