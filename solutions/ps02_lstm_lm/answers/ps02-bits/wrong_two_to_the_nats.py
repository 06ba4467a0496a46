"""The perplexity is 2 to the loss in nats.

Message: the perplexity is e to their mean, not 2
"""


def per_character(nats, pieces):
    total, count = nats.double().sum(), len("".join(pieces))
    bits = total / count / math.log(2)
    return (2 ** (total / len(pieces))).item(), (2 ** (total / count)).item(), bits.item()
