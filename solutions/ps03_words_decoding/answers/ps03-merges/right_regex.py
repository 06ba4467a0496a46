"""Written on strings, with borders that keep symbols apart."""


def learn_merges(counts, merges, minimum):
    spelled = {"".join(f"\0{letter}\1" for letter in word): count for word, count in counts.items()}
    learned = []
    for _ in range(merges):
        pairs = Counter()
        for text, count in spelled.items():
            symbols = text[1:-1].split("\1\0")
            for pair in pairwise(symbols):
                pairs[pair] += count
        if not pairs:
            break
        best = sorted(pairs, key=lambda pair: (-pairs[pair], *pair))[0]
        if pairs[best] < minimum:
            break
        learned.append(best)
        apart, joined = f"\0{best[0]}\1\0{best[1]}\1", f"\0{best[0]}{best[1]}\1"
        spelled = {text.replace(apart, joined): count for text, count in spelled.items()}
    return learned
