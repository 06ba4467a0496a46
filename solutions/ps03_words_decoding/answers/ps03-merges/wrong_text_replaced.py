"""The pair is replaced in the spelled-out text.

Message: Join symbols, not text: a replacement in the spelled-out word also finds the ends of longer
"""


def learn_merges(counts, merges, minimum):
    spelled = {" ".join(word): count for word, count in counts.items()}
    learned = []
    for _ in range(merges):
        pairs = Counter()
        for text, count in spelled.items():
            for pair in pairwise(text.split()):
                pairs[pair] += count
        if not pairs or max(pairs.values()) < minimum:
            break
        best = min(pairs, key=lambda pair: (-pairs[pair], pair))
        learned.append(best)
        spelled = {text.replace(" ".join(best), "".join(best)): count for text, count in spelled.items()}
    return learned
