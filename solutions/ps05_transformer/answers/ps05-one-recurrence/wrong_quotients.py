"""Quotients of two rows are compared; a weight of 0 makes them NaN.

Message: a quotient of two rows is then 0 / 0
"""


def one_recurrence(weights):
    answers = []
    for rows in weights:
        good = True
        for t in range(1, len(rows)):
            quotients = rows[t, :t] / rows[t - 1, :t]
            good = good and bool(((quotients - (1 - rows[t, t])).abs() <= 1e-5).all())
        answers.append(good)
    return torch.tensor(answers)
