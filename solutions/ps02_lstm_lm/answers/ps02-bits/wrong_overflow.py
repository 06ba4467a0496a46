"""math.exp ends in an error where the perplexity is huge.

Message: math.exp raises an OverflowError
"""


def per_character(nats, pieces):
    total, count = math.fsum(nats.tolist()), len("".join(pieces))
    return math.exp(total / len(pieces)), math.exp(total / count), total / count / math.log(2)
