"""The vectors are not scaled.

Message: The vectors are not scaled to length 1: long ones win
"""


def solve_analogies(vectors, questions):
    unit = vectors
    a, b, c = questions.T
    scores = (unit[b] - unit[a] + unit[c]) @ unit.T
    np.put_along_axis(scores, questions, -np.inf, axis=1)
    return scores.argmax(axis=1)
