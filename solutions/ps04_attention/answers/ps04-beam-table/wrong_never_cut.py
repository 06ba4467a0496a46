"""The k best extensions of each hypothesis are kept, never cut across hypotheses.

Message: cut all candidates of a step together
"""


def beam_search_table(table, k):
    beam, scored = [([], 0.0)], 0
    for row in table:
        scored += len(beam) * int((row > 0).sum())
        words = [int(word) for word in row.argsort()[::-1][:k] if row[word] > 0]
        beam = [([*tokens, word], score - math.log(row[word])) for tokens, score in beam for word in words]
    return sorted(beam, key=lambda hypothesis: hypothesis[1])[:k], scored
