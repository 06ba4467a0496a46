"""The count takes the first step for a full beam.

Message: At the first step there is one hypothesis to extend
"""


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
