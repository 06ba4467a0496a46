"""Bits are taken to base 10.

Message: Bits are logarithms to base 2, not 10
"""


def per_character(nats, pieces):
    total, count = nats.double().sum(), len("".join(pieces))
    bits = total / count / math.log(10)
    return (total / len(pieces)).exp().item(), (total / count).exp().item(), bits.item()
