"""Of equally frequent pairs the one that was counted first is taken.

Message: Of equally frequent pairs take the first in Python's order, not the one that was seen first
"""


def learn_merges(counts, merges, minimum):
    spelled = [(list(word), count) for word, count in counts.items()]
    learned = []
    while len(learned) < merges:
        pairs = Counter()
        for symbols, count in spelled:
            for pair in pairwise(symbols):
                pairs[pair] += count
        if not pairs or max(pairs.values()) < minimum:
            break
        best = pairs.most_common(1)[0][0]
        learned.append(best)
        for symbols, _ in spelled:
            i = 0
            while i < len(symbols) - 1:
                if (symbols[i], symbols[i + 1]) == best:
                    symbols[i : i + 2] = [best[0] + best[1]]
                i += 1
    return learned
