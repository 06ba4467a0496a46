# %% right: all places
# Written with the set of all places, tap by tap.


def seen(place, layers):
    places = {place}
    for taps, stride, padding, dilation in reversed(layers):
        places = {stride * i - padding + dilation * k for i in places for k in range(taps)}
    return min(places), max(places)


# %% right: formula
# Written with the formula of the receptive field, and the place of the first pixel.


def seen(place, layers):
    jump, start, width = 1, 0, 1
    for taps, stride, padding, dilation in layers:
        start -= padding * jump
        width += dilation * (taps - 1) * jump
        jump *= stride
    first = start + place * jump
    return [first, first + width - 1]


# %% wrong: first to last
# The layers are gone through from the first to the last.
# Message: Go back from the last layer to the first


def seen(place, layers):
    first = last = place
    for taps, stride, padding, dilation in layers:
        first = stride * first - padding
        last = stride * last - padding + dilation * (taps - 1)
    return first, last


# %% wrong: one too far
# The place behind the last one is returned.
# Message: The last tap of F lies F − 1 steps behind the first


def seen(place, layers):
    first = last = place
    for taps, stride, padding, dilation in reversed(layers):
        first = stride * first - padding
        last = stride * last - padding + dilation * taps
    return first, last


# %% wrong: padding forgotten
# The padding does not shift anything.
# Message: The padding shifts everything


def seen(place, layers):
    first = last = place
    for taps, stride, _, dilation in reversed(layers):
        first = stride * first
        last = stride * last + dilation * (taps - 1)
    return first, last


# %% wrong: cut at 0
# Places in the padding are cut off.
# Message: Places in the padding count, too: do not cut at 0


def seen(place, layers):
    first = last = place
    for taps, stride, padding, dilation in reversed(layers):
        first = stride * first - padding
        last = stride * last - padding + dilation * (taps - 1)
    return max(first, 0), last


# %% wrong: width
# The width is returned in place of the last.
# Message: return the last place


def seen(place, layers):
    first = last = place
    for taps, stride, padding, dilation in reversed(layers):
        first = stride * first - padding
        last = stride * last - padding + dilation * (taps - 1)
    return first, last - first + 1
