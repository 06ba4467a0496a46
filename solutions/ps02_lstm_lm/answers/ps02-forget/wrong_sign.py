"""A long memory gets a small bias.

Message: The bias has the wrong sign
"""


def forget_bias(half_life):
    return math.log(math.expm1(math.log(2) / half_life))
