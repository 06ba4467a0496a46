"""Written with loops over plain numbers: each weight is the one above it, faded."""


def one_recurrence(weights):
    answers = []
    for rows in weights.tolist():
        good = True
        for t in range(1, len(rows)):
            for i in range(t):
                good = good and abs(rows[t][i] - (1 - rows[t][t]) * rows[t - 1][i]) <= 1e-6
        answers.append(good)
    return torch.tensor(answers)
