"""Written with distances: among vectors of length 1 the nearest has the largest product."""


def solve_analogies(vectors, questions):
    unit = vectors / np.sqrt(np.square(vectors).sum(axis=1))[:, None]
    wanted = unit[questions] * np.array([-1.0, 1.0, 1.0])[:, None]
    far = np.square(wanted.sum(axis=1)[:, None] - unit).sum(axis=2)
    for row, words in zip(far, questions, strict=True):
        row[words] = np.inf
    return far.argmin(axis=1)
