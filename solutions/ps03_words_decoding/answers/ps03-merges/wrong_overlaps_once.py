"""Overlapping pairs are counted once.

Message: Overlapping pairs count, too: aaa holds (a, a) two times
"""


def learn_merges(counts, merges, minimum):
    spelled = [(list(word), count) for word, count in counts.items()]
    learned = []
    while len(learned) < merges:
        pairs = Counter()
        for symbols, count in spelled:
            i = 0
            while i < len(symbols) - 1:
                pairs[symbols[i], symbols[i + 1]] += count
                i += 1 + (symbols[i : i + 2] == symbols[i + 1 : i + 3])
        if not pairs or max(pairs.values()) < minimum:
            break
        best = min(pairs, key=lambda pair: (-pairs[pair], pair))
        learned.append(best)
        for symbols, _ in spelled:
            i = 0
            while i < len(symbols) - 1:
                if (symbols[i], symbols[i + 1]) == best:
                    symbols[i : i + 2] = [best[0] + best[1]]
                i += 1
    return learned
