"""Written with the logarithms of f and of 1 − f."""


def forget_bias(half_life):
    log_f = -math.log(2) / half_life
    return log_f - math.log(-math.expm1(log_f))
