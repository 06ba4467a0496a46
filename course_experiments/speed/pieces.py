"""Learning byte pairs, beside a recount of all pairs at each merge."""

from collections import Counter

from course_experiments.speed.harness import Benchmark, timed
from course_lib.data import load_tatoeba
from course_lib.text.bpe import words
from course_lib.text.fast_merges import learn_merges
from course_lib.text.merges import learn_step_by_step


def byte_pair_encoding(characters: int = 1_000_000, merges: int = 4_000) -> Benchmark:
    """Learning the merges of real French text, against counting all pairs anew for each merge.

    Raises:
        RuntimeError: if the two do not learn the same merges, since then the times compare nothing.
    """
    text = " ".join(pair.target for pair in load_tatoeba("fra").train)[:characters]
    counts = dict(Counter(words(text)))
    learned, ours = timed(lambda: learn_merges(counts, merges))
    expected, theirs = timed(lambda: [step.pair for step in learn_step_by_step(counts, merges)])
    if learned != expected:
        raise RuntimeError("the two ways learn different merges: the times compare nothing")
    name = f"BPE training, {len(text) / 1e6:.1f} million characters, {len(learned)} merges"
    return Benchmark(name, "recount before each merge", ours, theirs, target=1 / 20)
