"""Dropped words are no centres, but still neighbours.

Message: A dropped place is no neighbour either
"""


def skip_gram_pairs(words, reaches, keep):
    pairs = []
    for i, reach in enumerate(reaches):
        if keep[i]:
            around = [*words[max(0, i - reach) : i], *words[i + 1 : i + 1 + reach]]
            pairs += [(words[i], near) for near in around]
    return pairs
