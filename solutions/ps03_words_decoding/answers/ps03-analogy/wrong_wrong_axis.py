"""The largest score is looked for over the questions.

Message: should be
"""


def solve_analogies(vectors, questions):
    unit = vectors / np.linalg.norm(vectors, axis=1, keepdims=True)
    a, b, c = questions.T
    scores = (unit[b] - unit[a] + unit[c]) @ unit.T
    np.put_along_axis(scores, questions, -np.inf, axis=1)
    return scores.argmax(axis=0)
