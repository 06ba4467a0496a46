# %% right: heap
# Written with a heap instead of a sort.


def beam_search_table(table, k):
    import heapq

    beam, scored = [(0.0, [])], 0
    for row in np.asarray(table):
        heap = []
        for score, tokens in beam:
            for word in np.flatnonzero(row):
                heapq.heappush(heap, (score - float(np.log(row[word])), [*tokens, int(word)]))
        scored += len(heap)
        beam = [heapq.heappop(heap) for _ in range(min(k, len(heap)))]
    return [(tokens, score) for score, tokens in beam], scored


# %% right: matrix
# Written with matrices: a table of scores for each step, back-pointers, and a walk back.


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


# %% wrong: full beam from the start
# The count takes the first step for a full beam.
# Message: At the first step there is one hypothesis to extend


def beam_search_table(table, k):
    beam = [([], 0.0)]
    for row in table:
        candidates = [
            ([*tokens, word], score - math.log(p))
            for tokens, score in beam
            for word, p in enumerate(row)
            if p > 0
        ]
        beam = sorted(candidates, key=lambda candidate: candidate[1])[:k]
    return beam, table.size * k


# %% wrong: library
# The library's beam search walks down the table.
# Message: your answer calls course_lib.decoding.beam


def beam_search_table(table, k):
    from course_lib.decoding import beam_search

    log_probs = torch.tensor(table).log()

    def step(tokens, row):
        return log_probs[row], row + 1

    start = torch.zeros(1, dtype=torch.int64)
    found = beam_search(step, start, start, None, len(table), k)[0].hypotheses
    return [(list(h.tokens), -h.log_prob) for h in found], k * table.size


# %% wrong: log of product
# The logarithm is taken of the product, which is 0 on a long table.
# Message: Add logarithms from the start


def beam_search_table(table, k):
    beam, scored = [([], 1.0)], 0
    for row in table:
        candidates = [([*tokens, word], p * q) for tokens, p in beam for word, q in enumerate(row) if q > 0]
        scored += len(candidates)
        beam = sorted(candidates, key=lambda candidate: -candidate[1])[:k]
    return [(tokens, -math.log(p)) for tokens, p in beam], scored


# %% wrong: log of zero
# The slide's code as it is: log 0 is an error.
# Message: A word of probability 0 makes no candidate


def beam_search_table(table, k):
    beam, scored = [([], 0.0)], 0
    for row in table:
        candidates = [
            ([*tokens, word], score - math.log(p)) for tokens, score in beam for word, p in enumerate(row)
        ]
        scored += len(candidates)
        beam = sorted(candidates, key=lambda candidate: candidate[1])[:k]
    return beam, scored


# %% wrong: never cut
# The k best extensions of each hypothesis are kept, never cut across hypotheses.
# Message: cut all candidates of a step together


def beam_search_table(table, k):
    beam, scored = [([], 0.0)], 0
    for row in table:
        scored += len(beam) * int((row > 0).sum())
        words = [int(word) for word in row.argsort()[::-1][:k] if row[word] > 0]
        beam = [([*tokens, word], score - math.log(row[word])) for tokens, score in beam for word in words]
    return sorted(beam, key=lambda hypothesis: hypothesis[1])[:k], scored


# %% wrong: one child each
# Each hypothesis is extended by its best word only.
# Message: only one way to extend each hypothesis


def beam_search_table(table, k):
    first = sorted(((-math.log(p), word) for word, p in enumerate(table[0]) if p > 0))[:k]
    beam, scored = [([word], score) for score, word in first], int((table[0] > 0).sum())
    for row in table[1:]:
        scored += len(beam) * int((row > 0).sum())
        beam = [([*tokens, int(row.argmax())], score - math.log(row.max())) for tokens, score in beam]
    return beam, scored


# %% wrong: positive log
# The score is Σ log p, without the minus.
# Message: The score is -Σ log p


def beam_search_table(table, k):
    beam, scored = [([], 0.0)], 0
    for row in table:
        candidates = [
            ([*tokens, word], score + math.log(p))
            for tokens, score in beam
            for word, p in enumerate(row)
            if p
        ]
        scored += len(candidates)
        beam = sorted(candidates, key=lambda candidate: -candidate[1])[:k]
    return beam, scored


# %% wrong: probabilities
# Probabilities are multiplied, and their product is the score.
# Message: These are probabilities


def beam_search_table(table, k):
    beam, scored = [([], 1.0)], 0
    for row in table:
        candidates = [([*tokens, word], p * q) for tokens, p in beam for word, q in enumerate(row) if q > 0]
        scored += len(candidates)
        beam = sorted(candidates, key=lambda candidate: -candidate[1])[:k]
    return beam, scored


# %% wrong: worst first
# The candidates with the largest -Σ log p survive.
# Message: You keep the worst candidate


def beam_search_table(table, k):
    beam, scored = [([], 0.0)], 0
    for row in table:
        candidates = [
            ([*tokens, word], score - math.log(p))
            for tokens, score in beam
            for word, p in enumerate(row)
            if p > 0
        ]
        scored += len(candidates)
        beam = sorted(candidates, key=lambda candidate: -candidate[1])[:k]
    return beam, scored
