"""Each piece is divided by its own length first.

Message: a mean of ratios counts short pieces too much
"""


def per_character(nats, pieces):
    a_character = sum(n / len(p) for n, p in zip(nats.double(), pieces, strict=True) if p) / len(pieces)
    return nats.double().mean().exp().item(), a_character.exp().item(), (a_character / math.log(2)).item()
