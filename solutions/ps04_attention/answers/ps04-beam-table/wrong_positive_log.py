"""The score is Σ log p, without the minus.

Message: The score is -Σ log p
"""


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
