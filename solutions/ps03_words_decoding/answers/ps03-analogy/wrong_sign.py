"""The sum is a − b + c.

Message: The sum is b − a + c; yours goes from b to a
"""


def solve_analogies(vectors, questions):
    unit = vectors / np.linalg.norm(vectors, axis=1, keepdims=True)
    a, b, c = questions.T
    scores = (unit[a] - unit[b] + unit[c]) @ unit.T
    np.put_along_axis(scores, questions, -np.inf, axis=1)
    return scores.argmax(axis=1)
