"""Only characters are joined.

Message: A joined symbol is a symbol like any other and can be joined again
"""


def learn_merges(counts, merges, minimum):
    spelled = [(list(word), count) for word, count in counts.items()]
    learned = []
    while len(learned) < merges:
        pairs = Counter()
        for symbols, count in spelled:
            for pair in (p for p in pairwise(symbols) if len(p[0] + p[1]) == 2):
                pairs[pair] += count
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
