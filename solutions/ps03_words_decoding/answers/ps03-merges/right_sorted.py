"""Written with tuples, sorting and new lists."""


def learn_merges(counts, merges, minimum):
    words = {tuple(word): count for word, count in counts.items()}
    learned = []
    for _ in range(merges):
        pairs = Counter()
        for symbols, count in words.items():
            for k in range(len(symbols) - 1):
                pairs[symbols[k : k + 2]] += count
        ranked = sorted((-count, pair) for pair, count in pairs.items() if count >= minimum)
        if not ranked:
            return learned
        pair = ranked[0][1]
        learned.append(pair)
        joined = {}
        for symbols, count in words.items():
            new, rest = [], list(symbols)
            while rest:
                taken = 2 if tuple(rest[:2]) == pair else 1
                new.append("".join(rest[:taken]))
                rest = rest[taken:]
            joined[tuple(new)] = joined.get(tuple(new), 0) + count
        words = joined
    return learned
