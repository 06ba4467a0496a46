"""The words of all questions are no answer to any.

Message: Only the three words of this question are no answers; yours leaves out those of all questions
"""


def solve_analogies(vectors, questions):
    unit = vectors / np.linalg.norm(vectors, axis=1, keepdims=True)
    a, b, c = questions.T
    scores = (unit[b] - unit[a] + unit[c]) @ unit.T
    scores[:, questions.flatten()] = -np.inf
    return scores.argmax(axis=1)
