"""English digits, spoken by six people (Free Spoken Digit Dataset, a subset)."""

import csv
import lzma
from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from course_lib.data.packaged import DATA_FOLDER, checksums, read_verified

SAMPLE_RATE = 8000  # samples a second
WORDS = ("zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine")


@dataclass(frozen=True, eq=False)
class SpokenDigit:
    """One recording of one word."""

    word: str
    speaker: str
    take: int  # repetitions of a word by a speaker, counted from 0
    wave: np.ndarray  # (samples,) float32, -1 to 1


@dataclass(frozen=True, eq=False)
class SpokenDigits:
    """Recordings in two splits; the same speakers, other takes."""

    train: tuple[SpokenDigit, ...]
    test: tuple[SpokenDigit, ...]
    licence: str = "CC BY-SA 4.0"
    attribution: str = "Free Spoken Digit Dataset, CC BY-SA 4.0; subset, recoded to 8-bit mu-law."


def decode_mu_law(codes: np.ndarray) -> np.ndarray:
    """Turn 8-bit codes into samples: x = sign(u) (256^|u| - 1) / 255, with u from -1 to 1.

    Args:
        codes: (samples,) 0 to 255.

    Returns:
        (samples,) float32, -1 to 1.

    Source: ITU-T G.711's continuous mu-law, mu = 255.
    """
    u = codes.astype(np.float32) / 255 * 2 - 1
    return np.asarray(np.sign(u) * (256.0 ** np.abs(u) - 1) / 255, np.float32)


@lru_cache
def load_spoken_digits() -> SpokenDigits:
    """Load 600 training clips (takes 5 to 14) and 300 test clips (takes 0 to 4), 8,000 samples a second.

    Raises:
        DataError: a file is missing or damaged.
    """
    folder = DATA_FOLDER / "fsdd900"
    expected = checksums(folder)
    audio, index = (
        read_verified(folder / name, expected[name]) for name in ("audio_mulaw8.u8.xz", "index.csv.xz")
    )
    wave = decode_mu_law(np.frombuffer(lzma.decompress(audio), np.uint8))
    splits: dict[str, list[SpokenDigit]] = {"train": [], "test": []}
    for row in csv.DictReader(lzma.decompress(index).decode("utf8").splitlines()):
        start = int(row["offset"])
        clip = wave[start : start + int(row["length"])]
        splits[row["split"]].append(
            SpokenDigit(WORDS[int(row["digit"])], row["speaker"], int(row["take"]), clip)
        )
    return SpokenDigits(tuple(splits["train"]), tuple(splits["test"]))
