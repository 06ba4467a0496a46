"""The slide's code as it is: log 0 is an error.

Message: A word of probability 0 makes no candidate
"""


def beam_search_table(table, k):
    beam, scored = [([], 0.0)], 0
    for row in table:
        candidates = [
            ([*tokens, word], score - math.log(p)) for tokens, score in beam for word, p in enumerate(row)
        ]
        scored += len(candidates)
        beam = sorted(candidates, key=lambda candidate: candidate[1])[:k]
    return beam, scored
