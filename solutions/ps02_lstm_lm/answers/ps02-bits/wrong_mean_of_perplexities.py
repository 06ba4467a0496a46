"""The perplexities of the pieces are averaged.

Message: not the mean of the perplexities
"""


def per_character(nats, pieces):
    nats, count = nats.double(), len("".join(pieces))
    a_character = nats.sum() / count
    return nats.exp().mean().item(), a_character.exp().item(), (a_character / math.log(2)).item()
