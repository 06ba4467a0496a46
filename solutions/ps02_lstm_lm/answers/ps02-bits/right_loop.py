"""Written with a loop and care for what is too large."""


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
