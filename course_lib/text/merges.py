"""Which neighbours byte-pair encoding joins: the algorithm as it is told, slow, with every step to be seen.

Sennrich, Haddow and Birch 2016, section 3.2. `fast_merges` learns the same.
"""

from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import NamedTuple

Pair = tuple[str, str]


class TrainingStep(NamedTuple):
    """One merge as it is learned."""

    counts: dict[Pair, int]
    """How often each pair of neighbours stands in the text, before the merge."""
    pair: Pair
    """The most frequent one, which is joined."""
    words: dict[str, tuple[str, ...]]
    """How each word is spelled after it."""


def merge(symbols: Sequence[str], pair: Pair) -> list[str]:
    """Join every occurrence of a pair of neighbours, from the left: (a, a) in a a a gives aa a."""
    merged: list[str] = []
    i = 0
    while i < len(symbols):
        if tuple(symbols[i : i + 2]) == pair:
            merged.append(symbols[i] + symbols[i + 1])
            i += 2
        else:
            merged.append(symbols[i])
            i += 1
    return merged


def learn_step_by_step(word_counts: dict[str, int], merges: int) -> Iterator[TrainingStep]:
    """Learn merges as the algorithm is told, counting every pair anew before each: slow, but all is seen.

    Sennrich, Haddow and Birch (2016), algorithm 1. `fast_merges.learn_merges` finds the same pairs.

    Args:
        word_counts: word -> how often it occurs.
        merges: how many pairs to join at most; fewer where no pair is left.

    Yields:
        the pair counts, the pair chosen and the words after it, for each merge.
    """
    spellings = {word: tuple(word) for word in word_counts}
    age = {symbol: i for i, symbol in enumerate(sorted(set("".join(word_counts))))}
    for _ in range(merges):
        counts: Counter[Pair] = Counter()
        for word, symbols in spellings.items():
            for pair in pairwise(symbols):
                counts[pair] += word_counts[word]
        if not counts:
            return
        best = min(counts, key=lambda pair: (-counts[pair], age[pair[0]], age[pair[1]]))
        age.setdefault(best[0] + best[1], len(age))
        spellings = {word: tuple(merge(symbols, best)) for word, symbols in spellings.items()}
        yield TrainingStep(counts, best, spellings)
