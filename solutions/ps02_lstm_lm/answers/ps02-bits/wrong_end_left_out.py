"""The piece that ends the text is left out.

Message: it has a loss, though no characters
"""


def per_character(nats, pieces):
    kept = [k for k, piece in enumerate(pieces) if piece]
    total, count = nats[kept].double().sum(), len("".join(pieces))
    return (
        (total / len(kept)).exp().item(),
        (total / count).exp().item(),
        (total / count / math.log(2)).item(),
    )
