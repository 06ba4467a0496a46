"""The caller's vectors are scaled.

Message: your function changed the caller's vectors
"""


def solve_analogies(vectors, questions):
    vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
    unit = vectors
    a, b, c = questions.T
    scores = (unit[b] - unit[a] + unit[c]) @ unit.T
    np.put_along_axis(scores, questions, -np.inf, axis=1)
    return scores.argmax(axis=1)
