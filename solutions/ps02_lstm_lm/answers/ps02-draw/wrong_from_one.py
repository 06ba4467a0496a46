"""Tokens are counted from 1.

Message: Count the tokens from 0
"""


def draw(p, u):
    return (p.cumsum(dim=1) <= u.unsqueeze(1)).sum(dim=1) + 1
