"""The words are scaled only after the sum.

Message: Scale first, then add: in your sum the long vectors weigh more
"""


def solve_analogies(vectors, questions):
    unit = vectors / np.linalg.norm(vectors, axis=1, keepdims=True)
    a, b, c = questions.T
    scores = (vectors[b] - vectors[a] + vectors[c]) @ unit.T
    np.put_along_axis(scores, questions, -np.inf, axis=1)
    return scores.argmax(axis=1)
