"""The words of the question may be answers.

Message: The words of the question are no answers; they are nearly always the nearest
"""


def solve_analogies(vectors, questions):
    unit = vectors / np.linalg.norm(vectors, axis=1, keepdims=True)
    a, b, c = questions.T
    scores = (unit[b] - unit[a] + unit[c]) @ unit.T
    return scores.argmax(axis=1)
