"""Phrases: two words that stand side by side far more often than by chance become one (New York).

    score(a, b) = N (count(a b) − δ) / (count(a) count(b))

N is the length of the text, so that chance gives about 1; δ keeps pairs of rare words out.

Mikolov et al. 2013, Distributed Representations of Words and Phrases and their Compositionality, equation 6,
which leaves N out.
"""

from collections import Counter
from collections.abc import Collection, Sequence
from itertools import chain, pairwise

Pair = tuple[str, str]


def phrase_scores(sentences: Sequence[Sequence[str]], discount: int = 5) -> dict[Pair, float]:
    """Return the score of every pair that stands side by side more than `discount` times.

    Args:
        sentences: the text.
        discount: δ, 0 or more.

    Raises:
        ValueError: the discount is below 0.
    """
    if discount < 0:
        raise ValueError(f"discount is {discount}; allowed is 0 or more")
    words = Counter(chain.from_iterable(sentences))
    pairs = Counter(chain.from_iterable(map(pairwise, sentences)))
    return {
        (a, b): words.total() * (count - discount) / (words[a] * words[b])
        for (a, b), count in pairs.items()
        if count > discount
    }


def join_phrases(sentence: Sequence[str], phrases: Collection[Pair]) -> list[str]:
    """Return a sentence with each phrase as one word, "new_york"; read from the left, none overlap."""
    joined: list[str] = []
    words = iter(pairwise([*sentence, ""]))
    for pair in words:
        if pair in phrases:
            joined.append("_".join(pair))
            next(words)
        else:
            joined.append(pair[0])
    return joined
