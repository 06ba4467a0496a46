"""Spaces are not counted as characters.

Message: A space is a character, too
"""


def per_character(nats, pieces):
    total, count = nats.double().sum(), sum(len(p.replace(" ", "")) for p in pieces)
    return (
        (total / len(pieces)).exp().item(),
        (total / count).exp().item(),
        (total / count / math.log(2)).item(),
    )
