"""Only the neighbour of c is looked for.

Message: The words a and b have no influence: the answer is not just the neighbour of c
"""


def solve_analogies(vectors, questions):
    unit = vectors / np.linalg.norm(vectors, axis=1, keepdims=True)
    scores = unit[questions[:, 2]] @ unit.T
    np.put_along_axis(scores, questions, -np.inf, axis=1)
    return scores.argmax(axis=1)
