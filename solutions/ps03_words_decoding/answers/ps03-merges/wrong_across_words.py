"""Pairs cross the borders of words.

Message: A pair never crosses the border of a word
"""


def learn_merges(counts, merges, minimum):
    learned = []
    symbols = [s for word, count in counts.items() for _ in range(count) for s in word]
    while len(learned) < merges:
        pairs = Counter(pairwise(symbols))
        if not pairs or max(pairs.values()) < minimum:
            break
        best = min(pairs, key=lambda pair: (-pairs[pair], pair))
        learned.append(best)
        i = 0
        while i < len(symbols) - 1:
            if (symbols[i], symbols[i + 1]) == best:
                symbols[i : i + 2] = [best[0] + best[1]]
            i += 1
    return learned
