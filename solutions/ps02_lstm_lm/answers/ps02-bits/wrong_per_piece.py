"""Bits per piece are passed off as bits per character.

Message: Divide by the number of characters, not of pieces
"""


def per_character(nats, pieces):
    mean = nats.double().mean()
    return mean.exp().item(), mean.exp().item(), (mean / math.log(2)).item()
