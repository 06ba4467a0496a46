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
