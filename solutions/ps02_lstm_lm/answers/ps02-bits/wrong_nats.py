"""Nats are passed off as bits.

Message: a bit is ln 2 nats
"""


def per_character(nats, pieces):
    total, count = nats.double().sum(), len("".join(pieces))
    return (total / len(pieces)).exp().item(), (total / count).exp().item(), (total / count).item()
