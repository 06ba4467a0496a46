"""The excluded words get the score 0.

Message: A score of 0 may still be the largest
"""


def solve_analogies(vectors, questions):
    unit = vectors / np.linalg.norm(vectors, axis=1, keepdims=True)
    a, b, c = questions.T
    scores = (unit[b] - unit[a] + unit[c]) @ unit.T
    np.put_along_axis(scores, questions, 0, axis=1)
    return scores.argmax(axis=1)
