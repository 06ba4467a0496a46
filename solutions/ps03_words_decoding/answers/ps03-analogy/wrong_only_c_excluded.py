"""Only c is no answer.

Message: a and b are no answers either; yours leaves out c alone
"""


def solve_analogies(vectors, questions):
    unit = vectors / np.linalg.norm(vectors, axis=1, keepdims=True)
    a, b, c = questions.T
    scores = (unit[b] - unit[a] + unit[c]) @ unit.T
    np.put_along_axis(scores, questions[:, 2:], -np.inf, axis=1)
    return scores.argmax(axis=1)
