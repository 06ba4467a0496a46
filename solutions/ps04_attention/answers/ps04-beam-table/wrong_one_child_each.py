"""Each hypothesis is extended by its best word only.

Message: only one way to extend each hypothesis
"""


def beam_search_table(table, k):
    first = sorted(((-math.log(p), word) for word, p in enumerate(table[0]) if p > 0))[:k]
    beam, scored = [([word], score) for score, word in first], int((table[0] > 0).sum())
    for row in table[1:]:
        scored += len(beam) * int((row > 0).sum())
        beam = [([*tokens, int(row.argmax())], score - math.log(row.max())) for tokens, score in beam]
    return beam, scored
