"""Digits said in a row: recordings of one voice, joined without a gap.

The strings are drawn, never stored. Nobody says digits so: real speech flows from one word into the next.
"""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import torch

from course_lib.data.spoken_digits import WORDS, SpokenDigit


class SpokenString(NamedTuple):
    """A sound, and the digits that are said in it."""

    wave: np.ndarray  # (samples,) float32, -1 to 1
    digits: tuple[int, ...]
    ends: tuple[int, ...]  # sample behind each digit


def join(clips: Sequence[SpokenDigit]) -> SpokenString:
    """Return the recordings one after the other.

    Raises:
        ValueError: there are none.
    """
    if not clips:
        raise ValueError("clips are 0; allowed is 1 or more")
    ends = np.cumsum([len(clip.wave) for clip in clips])
    digits = tuple(WORDS.index(clip.word) for clip in clips)
    return SpokenString(np.concatenate([clip.wave for clip in clips]), digits, tuple(ends.tolist()))


def spoken_strings(
    clips: Sequence[SpokenDigit], count: int, shortest: int, longest: int, seed: int
) -> list[SpokenString]:
    """Draw strings, each of one voice.

    Args:
        clips: to draw from, with replacement.
        count: how many strings.
        shortest, longest: digits of a string, 1 or more.
        seed: draws voices, lengths and recordings.

    Raises:
        ValueError: the lengths are out of their range.
    """
    if not 1 <= shortest <= longest:
        raise ValueError(f"lengths are {shortest} to {longest}; allowed is 1 or more, the shortest first")
    generator = torch.Generator().manual_seed(seed)

    def below(size: int) -> int:
        return int(torch.randint(size, (), generator=generator))

    voices = [[clip for clip in clips if clip.speaker == name] for name in sorted({c.speaker for c in clips})]
    drawn = []
    for _ in range(count):
        voice = voices[below(len(voices))]
        length = shortest + below(longest - shortest + 1)
        drawn.append(join([voice[below(len(voice))] for _ in range(length)]))
    return drawn
