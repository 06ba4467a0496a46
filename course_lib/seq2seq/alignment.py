"""Read attention as an alignment of words: which source word does each target word look at?"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from course_lib.text.bpe import SPACE


@dataclass(frozen=True)
class WordAlignment:
    """Attention between whole words."""

    target: tuple[str, ...]
    source: tuple[str, ...]
    weights: np.ndarray  # (*layers_heads, target, source), each row sums to 1

    def strongest(self, target_word: str) -> str:
        """Return the source word that a target word looks at most, in an alignment of one head.

        Raises:
            ValueError: the target has no such word, or has it more than once.
        """
        if self.target.count(target_word) != 1:
            raise ValueError(
                f"target_word is {target_word!r}; allowed is a word that occurs once in {self.target}"
            )
        return self.source[int(self.weights[self.target.index(target_word)].argmax())]


def word_groups(pieces: Sequence[str], language: str) -> list[tuple[str, list[int]]]:
    """Put pieces together into words.

    A word begins at "▁", at a punctuation mark, and after one. A French apostrophe stays with what is before
    it, an English one with what follows: "▁m", "'", "a", "▁vu", "." are the words m' · a · vu · . and
    "▁don", "'", "t" the words don · 't.

    Args:
        pieces: of one sentence.
        language: "English" or "French".

    Returns:
        of each word its text and the positions of its pieces.

    Raises:
        ValueError: no such language.
    """
    if language not in ("English", "French"):
        raise ValueError(f"language is {language!r}; allowed are 'English', 'French'")
    groups: list[tuple[str, list[int]]] = []
    for i, piece in enumerate(pieces):
        before = groups[-1][0] if groups else None
        if before and piece == "'":
            joins = language == "French"
        elif before == "'" and language == "English":
            joins = piece[:1].isalnum()
        else:
            joins = before == "" or bool(before and before[-1].isalnum() and piece[:1].isalnum())
        if joins and not piece.startswith(SPACE):
            text, positions = groups[-1]
            groups[-1] = (text + piece, [*positions, i])
        else:
            groups.append((piece.removeprefix(SPACE), [i]))
    return groups


def word_alignment(
    attention: np.ndarray, source_pieces: Sequence[str], target_pieces: Sequence[str]
) -> WordAlignment:
    """Sum the weights over the pieces of a source word, average them over the pieces of a target word.

    Args:
        attention: (*layers_heads, target pieces, source pieces), each row sums to 1.
        source_pieces, target_pieces: the pieces, of an English and a French sentence.

    Raises:
        ValueError: the shape of `attention` is not that of the pieces.
    """
    expected = (len(target_pieces), len(source_pieces))
    if attention.shape[-2:] != expected:
        raise ValueError(f"attention has shape {attention.shape}; the pieces ask for {expected} at its end")
    sources, targets = word_groups(source_pieces, "English"), word_groups(target_pieces, "French")
    by_source = np.stack([attention[..., positions].sum(axis=-1) for _, positions in sources], axis=-1)
    weights = np.stack([by_source[..., positions, :].mean(axis=-2) for _, positions in targets], axis=-2)
    return WordAlignment(
        target=tuple(word for word, _ in targets), source=tuple(word for word, _ in sources), weights=weights
    )
