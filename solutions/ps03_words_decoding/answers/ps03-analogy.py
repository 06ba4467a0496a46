# %% right: distances
# Written with distances: among vectors of length 1 the nearest has the largest product.


def solve_analogies(vectors, questions):
    unit = vectors / np.sqrt(np.square(vectors).sum(axis=1))[:, None]
    wanted = unit[questions] * np.array([-1.0, 1.0, 1.0])[:, None]
    far = np.square(wanted.sum(axis=1)[:, None] - unit).sum(axis=2)
    for row, words in zip(far, questions, strict=True):
        row[words] = np.inf
    return far.argmin(axis=1)


# %% right: loops
# Written question by question.


def solve_analogies(vectors, questions):
    unit = [vector / np.sqrt((vector**2).sum()) for vector in vectors]
    answers = []
    for a, b, c in questions.tolist():
        wanted = unit[b] - unit[a] + unit[c]
        others = [d for d in range(len(unit)) if d not in (a, b, c)]
        answers.append(max(others, key=lambda d: float(unit[d] @ wanted)))
    return np.array(answers)


# %% wrong: all excluded
# The words of all questions are no answer to any.
# Message: Only the three words of this question are no answers; yours leaves out those of all questions


def solve_analogies(vectors, questions):
    unit = vectors / np.linalg.norm(vectors, axis=1, keepdims=True)
    a, b, c = questions.T
    scores = (unit[b] - unit[a] + unit[c]) @ unit.T
    scores[:, questions.flatten()] = -np.inf
    return scores.argmax(axis=1)


# %% wrong: as it was
# The function is left as it was.
# Message: should be


def solve_analogies(vectors, questions):
    return broken_analogies(vectors, questions)


# %% wrong: candidates not scaled
# The sum is of scaled vectors, the candidates are not scaled.
# Message: The candidates must be scaled, too: the score is the product with their vectors of length 1


def solve_analogies(vectors, questions):
    unit = vectors / np.linalg.norm(vectors, axis=1, keepdims=True)
    a, b, c = questions.T
    scores = (unit[b] - unit[a] + unit[c]) @ vectors.T
    np.put_along_axis(scores, questions, -np.inf, axis=1)
    return scores.argmax(axis=1)


# %% wrong: in place
# The caller's vectors are scaled.
# Message: your function changed the caller's vectors


def solve_analogies(vectors, questions):
    vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
    unit = vectors
    a, b, c = questions.T
    scores = (unit[b] - unit[a] + unit[c]) @ unit.T
    np.put_along_axis(scores, questions, -np.inf, axis=1)
    return scores.argmax(axis=1)


# %% wrong: library
# The library's neighbours are asked.
# Message: your answer calls course_lib.


def solve_analogies(vectors, questions):
    from course_lib.data.wiki_geo import WordVectors
    from course_lib.words.similarity import nearest

    table = WordVectors(tuple(map(str, range(len(vectors)))), vectors)
    return np.array([int(nearest(table, [str(b), str(c)], [str(a)], 1)[0][0]) for a, b, c in questions])


# %% wrong: no lengths
# The vectors are not scaled.
# Message: The vectors are not scaled to length 1: long ones win


def solve_analogies(vectors, questions):
    unit = vectors
    a, b, c = questions.T
    scores = (unit[b] - unit[a] + unit[c]) @ unit.T
    np.put_along_axis(scores, questions, -np.inf, axis=1)
    return scores.argmax(axis=1)


# %% wrong: nothing excluded
# The words of the question may be answers.
# Message: The words of the question are no answers; they are nearly always the nearest


def solve_analogies(vectors, questions):
    unit = vectors / np.linalg.norm(vectors, axis=1, keepdims=True)
    a, b, c = questions.T
    scores = (unit[b] - unit[a] + unit[c]) @ unit.T
    return scores.argmax(axis=1)


# %% wrong: only c
# Only the neighbour of c is looked for.
# Message: The words a and b have no influence: the answer is not just the neighbour of c


def solve_analogies(vectors, questions):
    unit = vectors / np.linalg.norm(vectors, axis=1, keepdims=True)
    scores = unit[questions[:, 2]] @ unit.T
    np.put_along_axis(scores, questions, -np.inf, axis=1)
    return scores.argmax(axis=1)


# %% wrong: only c excluded
# Only c is no answer.
# Message: a and b are no answers either; yours leaves out c alone


def solve_analogies(vectors, questions):
    unit = vectors / np.linalg.norm(vectors, axis=1, keepdims=True)
    a, b, c = questions.T
    scores = (unit[b] - unit[a] + unit[c]) @ unit.T
    np.put_along_axis(scores, questions[:, 2:], -np.inf, axis=1)
    return scores.argmax(axis=1)


# %% wrong: scaled late
# The words are scaled only after the sum.
# Message: Scale first, then add: in your sum the long vectors weigh more


def solve_analogies(vectors, questions):
    unit = vectors / np.linalg.norm(vectors, axis=1, keepdims=True)
    a, b, c = questions.T
    scores = (vectors[b] - vectors[a] + vectors[c]) @ unit.T
    np.put_along_axis(scores, questions, -np.inf, axis=1)
    return scores.argmax(axis=1)


# %% wrong: scores
# The scores are returned, not the words.
# Message: The answer is the number of a word


def solve_analogies(vectors, questions):
    unit = vectors / np.linalg.norm(vectors, axis=1, keepdims=True)
    a, b, c = questions.T
    scores = (unit[b] - unit[a] + unit[c]) @ unit.T
    np.put_along_axis(scores, questions, -np.inf, axis=1)
    return scores.max(axis=1)


# %% wrong: sign
# The sum is a − b + c.
# Message: The sum is b − a + c; yours goes from b to a


def solve_analogies(vectors, questions):
    unit = vectors / np.linalg.norm(vectors, axis=1, keepdims=True)
    a, b, c = questions.T
    scores = (unit[a] - unit[b] + unit[c]) @ unit.T
    np.put_along_axis(scores, questions, -np.inf, axis=1)
    return scores.argmax(axis=1)


# %% wrong: wrong axis
# The largest score is looked for over the questions.
# Message: should be


def solve_analogies(vectors, questions):
    unit = vectors / np.linalg.norm(vectors, axis=1, keepdims=True)
    a, b, c = questions.T
    scores = (unit[b] - unit[a] + unit[c]) @ unit.T
    np.put_along_axis(scores, questions, -np.inf, axis=1)
    return scores.argmax(axis=0)


# %% wrong: zero
# The excluded words get the score 0.
# Message: A score of 0 may still be the largest


def solve_analogies(vectors, questions):
    unit = vectors / np.linalg.norm(vectors, axis=1, keepdims=True)
    a, b, c = questions.T
    scores = (unit[b] - unit[a] + unit[c]) @ unit.T
    np.put_along_axis(scores, questions, 0, axis=1)
    return scores.argmax(axis=1)
