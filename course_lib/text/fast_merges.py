"""The merges of byte-pair encoding, learned fast: only words that hold the joined pair are counted anew."""

import heapq
from collections import Counter, defaultdict
from itertools import pairwise

from course_lib.text.merges import Pair, merge


def learn_merges(word_counts: dict[str, int], merges: int) -> list[Pair]:
    """Find the most frequent pair, join it everywhere, repeat.

    Only the words that hold the pair are counted anew. Of equally frequent pairs the one whose
    symbols are older wins (characters by code point, then joins by age).

    Args:
        word_counts: word -> how often it occurs.
        merges: how many pairs to join at most; fewer where no pair is left.

    Returns:
        the pairs in the order in which they were joined.
    """
    spellings = [list(word) for word in word_counts]
    counts = list(word_counts.values())
    age = {symbol: i for i, symbol in enumerate(sorted({s for word in spellings for s in word}))}
    pair_counts: Counter[Pair] = Counter()
    holders: defaultdict[Pair, set[int]] = defaultdict(set)
    for i, symbols in enumerate(spellings):
        for pair in pairwise(symbols):
            pair_counts[pair] += counts[i]
            holders[pair].add(i)

    def entry(pair: Pair) -> tuple[int, int, int, Pair]:
        return -pair_counts[pair], age[pair[0]], age[pair[1]], pair

    heap = [entry(pair) for pair in pair_counts]
    heapq.heapify(heap)
    learned: list[Pair] = []
    while heap and len(learned) < merges:
        count, _, _, best = heapq.heappop(heap)
        if -count != pair_counts[best]:
            continue  # out of date: a newer entry of this pair is in the heap
        learned.append(best)
        age.setdefault(best[0] + best[1], len(age))
        changed: set[Pair] = set()
        for i in holders.pop(best):
            old, new = spellings[i], merge(spellings[i], best)
            for pair in pairwise(old):
                pair_counts[pair] -= counts[i]
                holders[pair].discard(i)
                changed.add(pair)
            for pair in pairwise(new):
                pair_counts[pair] += counts[i]
                holders[pair].add(i)
                changed.add(pair)
            spellings[i] = new
        holders.pop(best, None)
        pair_counts.pop(best)
        for pair in changed - {best}:
            if pair_counts[pair] > 0:
                heapq.heappush(heap, entry(pair))
    return learned
