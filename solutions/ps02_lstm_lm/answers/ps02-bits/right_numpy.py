"""Written with numpy and logarithms to base 2."""


def per_character(nats, pieces):
    bits = np.asarray(nats, dtype=float).sum() / np.log(2)
    characters = len("".join(pieces))
    with np.errstate(over="ignore"):
        return float(np.exp2(bits / len(pieces))), float(np.exp2(bits / characters)), float(bits / characters)
