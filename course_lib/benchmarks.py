"""Our speed beside that of another implementation of the same thing, measured in the same run.

Absolute times differ from machine to machine; the ratio is what has a target.
"""

import time
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from itertools import pairwise
from typing import TypeVar

Answer = TypeVar("Answer")
Pair = tuple[str, str]


@dataclass(frozen=True)
class Benchmark:
    """One comparison.

    Args:
        name: what was done, with its size.
        against: the other implementation.
        ours: our time in seconds.
        theirs: the other's time in seconds, for the same work.
        target: largest ratio ours / theirs that is good enough.

    Raises:
        ValueError: if a time or the target is not positive.
    """

    name: str
    against: str
    ours: float
    theirs: float
    target: float

    def __post_init__(self) -> None:
        for field in ("ours", "theirs", "target"):
            if not getattr(self, field) > 0:
                raise ValueError(f"{field} of {self.name!r} is {getattr(self, field)}; it must be positive")

    @property
    def ratio(self) -> float:
        """Our time over theirs: below 1 we are the faster."""
        return self.ours / self.theirs

    @property
    def met(self) -> bool:
        """Whether the target is reached."""
        return self.ratio <= self.target


def timed(work: Callable[[], Answer]) -> tuple[Answer, float]:
    """Return what the work returns, and the seconds that it took."""
    start = time.perf_counter()
    answer = work()
    return answer, time.perf_counter() - start


def recount_merges(word_counts: dict[str, int], merges: int) -> list[Pair]:
    """Byte-pair encoding as first told: count every pair of every word again before each merge.

    Sennrich, Haddow and Birch 2016, algorithm 1; of equally frequent pairs the one with older symbols wins.
    """
    spelled = [(list(word), count) for word, count in word_counts.items()]
    age = {symbol: i for i, symbol in enumerate(sorted({s for word in word_counts for s in word}))}
    learned: list[Pair] = []
    for _ in range(merges):
        frequency: Counter[Pair] = Counter()
        for symbols, count in spelled:
            for pair in pairwise(symbols):
                frequency[pair] += count
        if not frequency:
            break
        best = min(frequency, key=lambda pair: (-frequency[pair], age[pair[0]], age[pair[1]]))
        joined = "".join(best)
        age.setdefault(joined, len(age))
        learned.append(best)
        for symbols, _ in spelled:
            i = 0
            while i < len(symbols) - 1:
                if (symbols[i], symbols[i + 1]) == best:
                    symbols[i : i + 2] = [joined]
                i += 1
    return learned


def byte_pair_encoding(characters: int = 1_000_000, merges: int = 4_000) -> Benchmark:
    """Learning the merges of real French text, against counting all pairs anew for each merge.

    Raises:
        RuntimeError: if the two do not learn the same merges, since then the times compare nothing.
    """
    from course_lib.data import load_tatoeba
    from course_lib.text.bpe import learn_merges, words

    text = " ".join(pair.target for pair in load_tatoeba("fra").train)[:characters]
    counts = dict(Counter(words(text)))
    learned, ours = timed(lambda: learn_merges(counts, merges))
    expected, theirs = timed(lambda: recount_merges(counts, merges))
    if learned != expected:
        raise RuntimeError("the two ways learn different merges: the times compare nothing")
    name = f"BPE training, {len(text) / 1e6:.1f} million characters, {len(learned)} merges"
    return Benchmark(name, "recount before each merge", ours, theirs, target=1 / 20)


BENCHMARKS: tuple[Callable[[], Benchmark], ...] = (byte_pair_encoding,)
