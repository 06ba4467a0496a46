"""Written with matrices: a table of scores for each step, back-pointers, and a walk back."""


def beam_search_table(table, k):
    scores, scored, back = np.zeros(1), 0, []
    with np.errstate(divide="ignore"):
        costs = -np.log(table)
    for row in costs:
        grid = scores[:, None] + row
        order = np.argsort(grid, axis=None, kind="stable")
        order = order[np.isfinite(grid.ravel()[order])]
        scored += len(order)
        order = order[:k]
        scores = grid.ravel()[order]
        back.append(divmod(order, len(row)))
    hypotheses = []
    for i, score in enumerate(scores):
        tokens, place = [], i
        for rows, words in reversed(back):
            tokens.insert(0, int(words[place]))
            place = rows[place]
        hypotheses.append((tokens, float(score)))
    return hypotheses, scored
