"""The function is left as it was.

Message: should be
"""


def solve_analogies(vectors, questions):
    return broken_analogies(vectors, questions)
