# %% right: bisection
# Written by trial: halve the range that holds the bias.


def forget_bias(half_life):
    low, high = -200.0, 200.0
    for _ in range(100):
        middle = (low + high) / 2
        lost = math.log1p(math.exp(-middle))  # -log of the sigmoid
        if half_life * lost > math.log(2):
            low = middle
        else:
            high = middle
    return low


# %% right: logarithms
# Written with the logarithms of f and of 1 − f.


def forget_bias(half_life):
    log_f = -math.log(2) / half_life
    return log_f - math.log(-math.expm1(log_f))


# %% wrong: gate
# The gate is returned in place of its bias.
# Message: That is the gate f itself


def forget_bias(half_life):
    return 0.5 ** (1 / half_life)


# %% wrong: half over n
# The root is taken for a division.
# Message: asks for the n-th root of 1/2


def forget_bias(half_life):
    f = 0.5 / half_life
    return math.log(f / (1 - f))


# %% wrong: mean life
# The mean time that a cell keeps something is taken for the half-life.
# Message: what is asked for is f^n = 1/2


def forget_bias(half_life):
    f = 1 - 1 / half_life
    return math.log(f / (1 - f))


# %% wrong: rounding
# The formula is right on paper, but 1 − f has no digits left.
# Message: 1 − f loses its digits


def forget_bias(half_life):
    f = 0.5 ** (1 / half_life)
    return math.log(f / (1 - f))


# %% wrong: sign
# A long memory gets a small bias.
# Message: The bias has the wrong sign


def forget_bias(half_life):
    return math.log(math.expm1(math.log(2) / half_life))


# %% wrong: tanh
# The gate is taken for a tanh.
# Message: The gate is a sigmoid, not a tanh


def forget_bias(half_life):
    return math.atanh(0.5 ** (1 / half_life))


# %% wrong: time constant
# After half_life steps 1/e is left.
# Message: 1/2 should be left, not 1/e


def forget_bias(half_life):
    return -math.log(math.expm1(1 / half_life))
