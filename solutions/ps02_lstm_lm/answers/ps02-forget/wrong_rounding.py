"""The formula is right on paper, but 1 − f has no digits left.

Message: 1 − f loses its digits
"""


def forget_bias(half_life):
    f = 0.5 ** (1 / half_life)
    return math.log(f / (1 - f))
