"""Written by trial: halve the range that holds the bias."""


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
