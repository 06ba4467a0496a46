"""Written question by question."""


def solve_analogies(vectors, questions):
    unit = [vector / np.sqrt((vector**2).sum()) for vector in vectors]
    answers = []
    for a, b, c in questions.tolist():
        wanted = unit[b] - unit[a] + unit[c]
        others = [d for d in range(len(unit)) if d not in (a, b, c)]
        answers.append(max(others, key=lambda d: float(unit[d] @ wanted)))
    return np.array(answers)
