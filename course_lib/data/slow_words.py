"""A small task for soft and hard looks: words said slowly, to be written down."""

from collections.abc import Iterator, Sequence

import torch
from jaxtyping import Int
from torch import Tensor

from course_lib.data import load_tatoeba
from course_lib.data.batches import pad
from course_lib.data.special import PAD, SPECIAL

SILENCE = len(SPECIAL)
SYMBOLS = (*SPECIAL, "-", *"abcdefghijklmnopqrstuvwxyz")
LONGEST_HOLD = 3


def slow_words(shortest: int = 3, longest: int = 7) -> tuple[str, ...]:
    """Return the English words of the training sentences, of these lengths and letters a to z, sorted."""
    words = {
        word.strip(".,!?\"'").lower() for pair in load_tatoeba("fra").train for word in pair.source.split()
    }
    allowed = set(SYMBOLS[4:])
    return tuple(sorted(word for word in words if shortest <= len(word) <= longest and set(word) <= allowed))


def stretch(word: str, generator: torch.Generator) -> list[int]:
    """Return the frames of a word, as ids."""
    frames = []
    for letter, following in zip(word, word[1:] + " ", strict=True):
        hold = int(torch.randint(1, LONGEST_HOLD + 1, (1,), generator=generator))
        frames += [SYMBOLS.index(letter)] * hold
        if letter == following or torch.rand(1, generator=generator) < 0.3:
            frames.append(SILENCE)
    return frames


def stretched_batches(
    words: Sequence[str], size: int, count: int, seed: int
) -> Iterator[tuple[Int[Tensor, "batch frames"], Int[Tensor, "batch target"]]]:
    """Yield batches of frames and of the letters to write, words drawn anew each time.

    Args:
        words: to draw from.
        size: words in a batch.
        count: batches.
        seed: draws words and frames.
    """
    generator = torch.Generator().manual_seed(seed)
    for _ in range(count):
        chosen = [words[i] for i in torch.randint(len(words), (size,), generator=generator).tolist()]
        yield (
            pad([stretch(word, generator) for word in chosen], PAD),
            pad([[SYMBOLS.index(letter) for letter in word] for word in chosen], PAD),
        )
