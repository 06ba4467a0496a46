"""The most probable token is taken every time.

Message: let u decide
"""


def draw(p, u):
    return p.argmax(dim=1)
