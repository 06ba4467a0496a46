"""The probabilities are multiplied, down to 0.

Message: The product of so many probabilities is 0
"""


def per_character(nats, pieces):
    p, count = (-nats.double()).exp().prod(), len("".join(pieces))
    total = -p.log()
    return (
        (total / len(pieces)).exp().item(),
        (total / count).exp().item(),
        (total / count / math.log(2)).item(),
    )
