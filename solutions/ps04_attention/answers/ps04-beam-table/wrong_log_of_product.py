"""The logarithm is taken of the product, which is 0 on a long table.

Message: Add logarithms from the start
"""


def beam_search_table(table, k):
    beam, scored = [([], 1.0)], 0
    for row in table:
        candidates = [([*tokens, word], p * q) for tokens, p in beam for word, q in enumerate(row) if q > 0]
        scored += len(candidates)
        beam = sorted(candidates, key=lambda candidate: -candidate[1])[:k]
    return [(tokens, -math.log(p)) for tokens, p in beam], scored
