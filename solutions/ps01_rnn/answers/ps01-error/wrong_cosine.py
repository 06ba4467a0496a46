"""The angle alone is compared.

Message: 1 minus the cosine, which forgets lengths
"""


def gradient_error(n, g):
    return float(1 - (n * g).sum() / (n.norm() * g.norm()))
