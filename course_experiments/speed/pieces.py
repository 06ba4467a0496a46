"""Learning byte pairs, beside a recount of all pairs at each merge."""

from collections import Counter
from itertools import pairwise

from course_experiments.speed.harness import Benchmark, timed

Pair = tuple[str, str]


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
