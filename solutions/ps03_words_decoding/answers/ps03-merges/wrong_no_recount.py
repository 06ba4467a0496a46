"""The pairs are counted once, and the most frequent ones returned.

Message: Count anew after every join: joined symbols make new pairs, and old ones vanish
"""


def learn_merges(counts, merges, minimum):
    pairs = Counter()
    for word, count in counts.items():
        for pair in pairwise(word):
            pairs[pair] += count
    return [pair for pair in sorted(pairs, key=lambda p: (-pairs[p], p)) if pairs[pair] >= minimum][:merges]
