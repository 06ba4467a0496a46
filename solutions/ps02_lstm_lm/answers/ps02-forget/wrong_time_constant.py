"""After half_life steps 1/e is left.

Message: 1/2 should be left, not 1/e
"""


def forget_bias(half_life):
    return -math.log(math.expm1(1 / half_life))
