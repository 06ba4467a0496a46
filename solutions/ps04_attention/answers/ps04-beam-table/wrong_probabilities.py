"""Probabilities are multiplied, and their product is the score.

Message: These are probabilities
"""


def beam_search_table(table, k):
    beam, scored = [([], 1.0)], 0
    for row in table:
        candidates = [([*tokens, word], p * q) for tokens, p in beam for word, q in enumerate(row) if q > 0]
        scored += len(candidates)
        beam = sorted(candidates, key=lambda candidate: -candidate[1])[:k]
    return beam, scored
