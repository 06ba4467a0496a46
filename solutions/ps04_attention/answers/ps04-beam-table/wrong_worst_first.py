"""The candidates with the largest -Σ log p survive.

Message: You keep the worst candidate
"""


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
