"""IBM model 1: learn which word translates which, from nothing but pairs of sentences.

Each target word y_i stands for one source word x_j, or for none (NULL); any place is as likely as any other:

    p(y, a | x) = ε / (S + 1)^T · Π_i t(y_i | x_{a_i})

Expectation: t divides each target word among the source words of its sentence. Maximisation: the shares,
added up over all sentences and brought to sum 1 for each source word, are the new t.

Source: Brown et al. 1993, "The mathematics of statistical machine translation", section 4.1.
"""

from collections.abc import Sequence

import numpy as np

NULL = "NULL"

WordPair = tuple[Sequence[str], Sequence[str]]  # words of the source, words of the target


class IBMModel1:
    """The table t(target word | source word), uniform before the first `step`.

    Args:
        pairs: sentences with their translations, as words.
        null: let a target word stand for no source word.

    Raises:
        ValueError: there is no pair, or one side of a pair has no words.
    """

    def __init__(self, pairs: Sequence[WordPair], null: bool = True) -> None:
        if not pairs or not all(source and target for source, target in pairs):
            raise ValueError("pairs must hold at least one pair, each with words on both sides")
        self.null = null
        self.entries: dict[tuple[str, str], int] = {}  # (source word, target word) -> place in the table
        entry, width = [], []
        for source, target in pairs:
            read = self._read(source)
            width += [len(read)] * len(target)
            entry += [self.entries.setdefault((x, y), len(self.entries)) for y in target for x in read]
        ids: dict[str, int] = {}
        self._source_of = np.array([ids.setdefault(x, len(ids)) for x, _ in self.entries])
        self._entry = np.array(entry)  # candidates of the first target word, of the second, …
        self._starts = np.cumsum([0, *width[:-1]])  # where the candidates of each target word begin
        self._width = np.array(width)
        self.table = np.full(len(self.entries), 1 / len({y for _, y in self.entries}))

    def _read(self, source: Sequence[str]) -> list[str]:
        return [NULL, *source] if self.null else list(source)

    def step(self) -> float:
        """Do one step of expectation and maximisation.

        Returns:
            the log-likelihood before it, Σ_i log Σ_j t(y_i | x_j) / (S + 1); no step makes it smaller.
        """
        t = self.table[self._entry]
        total = np.add.reduceat(t, self._starts)
        shares = t / np.repeat(total, self._width)
        counts = np.bincount(self._entry, shares, len(self.table))
        self.table = counts / np.bincount(self._source_of, counts)[self._source_of]
        return float(np.log(total / self._width).sum())

    def probability(self, target: str, source: str) -> float:
        """Return t(target word | source word); 0 for words that never met."""
        place = self.entries.get((source, target))
        return 0.0 if place is None else float(self.table[place])

    def align(self, source: Sequence[str], target: Sequence[str]) -> set[tuple[int, int]]:
        """Return the likeliest alignment as links (target word, source word).

        A word that stands for NULL, or that was never seen with any word of the source, gets no link.
        """
        links = set()
        for i, y in enumerate(target):
            scores = [self.probability(y, x) for x in source]
            best = int(np.argmax(scores))
            if scores[best] > (self.probability(y, NULL) if self.null else 0):
                links.add((i, best))
        return links
