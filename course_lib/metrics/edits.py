"""Edit distance."""

from collections.abc import Sequence


def edit_distance(left: Sequence[str], right: Sequence[str]) -> int:
    """Return how few insertions, deletions and replacements turn one into the other (Levenshtein 1966)."""
    row = list(range(len(right) + 1))
    for i, a in enumerate(left, 1):
        previous, row[0] = row[0], i
        for j, b in enumerate(right, 1):
            previous, row[j] = row[j], min(row[j] + 1, row[j - 1] + 1, previous + (a != b))
    return row[-1]


def error_rate(written: Sequence[Sequence[str]], true: Sequence[Sequence[str]]) -> float:
    """Return edits a symbol of what is true: the character error rate, where the symbols are characters.

    Args:
        written: what a model wrote, text by text.
        true: what it should have written, at least one symbol in all.

    Raises:
        ValueError: there are not as many texts on both sides, or no true symbol.
    """
    symbols = sum(map(len, true))
    if len(written) != len(true) or not symbols:
        raise ValueError(
            f"{len(written)} texts for {len(true)} true ones with {symbols} symbols; allowed are as many, "
            "with at least one symbol"
        )
    return sum(map(edit_distance, written, true)) / symbols
