"""What word vectors learn from: each word of a sentence beside the words around it."""

from collections.abc import Sequence


def cbow_windows(words: Sequence[str], reach: int, edges: bool = True) -> list[tuple[tuple[str, ...], str]]:
    """Return (the words around it, word) for each word: CBOW guesses the second from the first.

    Args:
        words: a sentence.
        reach: words to either side, 1 or more.
        edges: also the words whose window an end of the sentence cuts off.

    Raises:
        TypeError: `words` is a string: its letters would be taken for words.
        ValueError: the reach is below 1.

    Source: Mikolov et al. 2013, Efficient Estimation of Word Representations in Vector Space, section 3.1.
    """
    if isinstance(words, str):
        raise TypeError(
            f"words is the str {words[:40]!r}; needed is a sequence of words, such as words.split()"
        )
    if reach < 1:
        raise ValueError(f"reach is {reach}; allowed is 1 or more")
    windows = []
    for i, word in enumerate(words):
        before, after = words[max(0, i - reach) : i], words[i + 1 : i + 1 + reach]
        whole = len(before) == len(after) == reach
        if whole or (edges and len(words) > 1):
            windows.append(((*before, *after), word))
    return windows


def skip_gram_pairs(words: Sequence[str], reach: int, edges: bool = True) -> list[tuple[str, str]]:
    """Return (word, one word near it) for each word and each neighbour: skip-gram guesses the second.

    Arguments, errors: as for `cbow_windows`.

    Source: Mikolov et al. 2013, section 3.2.
    """
    return [(word, near) for around, word in cbow_windows(words, reach, edges) for near in around]
