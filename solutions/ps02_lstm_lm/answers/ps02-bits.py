# %% right: loop
# Written with a loop and care for what is too large.


def per_character(nats, pieces):
    total, count = 0.0, 0
    for loss, piece in zip(nats.tolist(), pieces, strict=True):
        total += loss
        count += len(piece)

    def power(exponent):
        try:
            return math.exp(exponent)
        except OverflowError:
            return math.inf

    return power(total / len(pieces)), power(total / count), total / count / math.log(2)


# %% right: numpy
# Written with numpy and logarithms to base 2.


def per_character(nats, pieces):
    bits = np.asarray(nats, dtype=float).sum() / np.log(2)
    characters = len("".join(pieces))
    with np.errstate(over="ignore"):
        return float(np.exp2(bits / len(pieces))), float(np.exp2(bits / characters)), float(bits / characters)


# %% wrong: bytes
# Bytes are counted.
# Message: Count characters, not bytes


def per_character(nats, pieces):
    total, count = nats.double().sum(), len("".join(pieces).encode())
    return (
        (total / len(pieces)).exp().item(),
        (total / count).exp().item(),
        (total / count / math.log(2)).item(),
    )


# %% wrong: end left out
# The piece that ends the text is left out.
# Message: it has a loss, though no characters


def per_character(nats, pieces):
    kept = [k for k, piece in enumerate(pieces) if piece]
    total, count = nats[kept].double().sum(), len("".join(pieces))
    return (
        (total / len(kept)).exp().item(),
        (total / count).exp().item(),
        (total / count / math.log(2)).item(),
    )


# %% wrong: library
# The library's perplexity is asked.
# Message: your answer calls course_lib.


from course_lib.metrics.text import perplexity


def per_character(nats, pieces):
    total = float(nats.double().sum())
    by_character = perplexity(total, sum(len(piece) for piece in pieces))
    return perplexity(total, len(pieces)), by_character, math.log2(by_character)


# %% wrong: log10
# Bits are taken to base 10.
# Message: Bits are logarithms to base 2, not 10


def per_character(nats, pieces):
    total, count = nats.double().sum(), len("".join(pieces))
    bits = total / count / math.log(10)
    return (total / len(pieces)).exp().item(), (total / count).exp().item(), bits.item()


# %% wrong: mean of perplexities
# The perplexities of the pieces are averaged.
# Message: not the mean of the perplexities


def per_character(nats, pieces):
    nats, count = nats.double(), len("".join(pieces))
    a_character = nats.sum() / count
    return nats.exp().mean().item(), a_character.exp().item(), (a_character / math.log(2)).item()


# %% wrong: mean of ratios
# Each piece is divided by its own length first.
# Message: a mean of ratios counts short pieces too much


def per_character(nats, pieces):
    a_character = sum(n / len(p) for n, p in zip(nats.double(), pieces, strict=True) if p) / len(pieces)
    return nats.double().mean().exp().item(), a_character.exp().item(), (a_character / math.log(2)).item()


# %% wrong: nats
# Nats are passed off as bits.
# Message: a bit is ln 2 nats


def per_character(nats, pieces):
    total, count = nats.double().sum(), len("".join(pieces))
    return (total / len(pieces)).exp().item(), (total / count).exp().item(), (total / count).item()


# %% wrong: no spaces
# Spaces are not counted as characters.
# Message: A space is a character, too


def per_character(nats, pieces):
    total, count = nats.double().sum(), sum(len(p.replace(" ", "")) for p in pieces)
    return (
        (total / len(pieces)).exp().item(),
        (total / count).exp().item(),
        (total / count / math.log(2)).item(),
    )


# %% wrong: overflow
# math.exp ends in an error where the perplexity is huge.
# Message: math.exp raises an OverflowError


def per_character(nats, pieces):
    total, count = math.fsum(nats.tolist()), len("".join(pieces))
    return math.exp(total / len(pieces)), math.exp(total / count), total / count / math.log(2)


# %% wrong: per piece
# Bits per piece are passed off as bits per character.
# Message: Divide by the number of characters, not of pieces


def per_character(nats, pieces):
    mean = nats.double().mean()
    return mean.exp().item(), mean.exp().item(), (mean / math.log(2)).item()


# %% wrong: product
# The probabilities are multiplied, down to 0.
# Message: The product of so many probabilities is 0


def per_character(nats, pieces):
    p, count = (-nats.double()).exp().prod(), len("".join(pieces))
    total = -p.log()
    return (
        (total / len(pieces)).exp().item(),
        (total / count).exp().item(),
        (total / count / math.log(2)).item(),
    )


# %% wrong: two to the nats
# The perplexity is 2 to the loss in nats.
# Message: the perplexity is e to their mean, not 2


def per_character(nats, pieces):
    total, count = nats.double().sum(), len("".join(pieces))
    bits = total / count / math.log(2)
    return (2 ** (total / len(pieces))).item(), (2 ** (total / count)).item(), bits.item()
