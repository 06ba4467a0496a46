"""What a docstring promises of a number holds at its edges, or the number is refused by name."""

import math
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

from course_lib.applications.shipped import load_application
from course_lib.applications.writing import write
from course_lib.attention import DotAttention, LocalMonotonicAttention, gated_recurrence, masked_softmax
from course_lib.data.moving_digits import bounce
from course_lib.data.wiki_geo import WordVectors
from course_lib.decoding import CoveragePenalty, LengthPenalty, exact_search
from course_lib.decoding.greedy import Hypothesis
from course_lib.memory.hopfield import modern_energy
from course_lib.reservoir.measures import memory_curve
from course_lib.words.storage import load_word_vectors, save_word_vectors
from course_lib.words.training import keep_probability, windows


def vectors(words: tuple[str, ...], *rows: list[float]) -> WordVectors:
    return WordVectors(words, np.array(rows, dtype=np.float32), "CC", "nobody")


def exact(**limits: int) -> Any:
    known = Hypothesis((1,), -1.0, -1.0, True)
    return exact_search(
        None, None, torch.tensor([0]), 1, **{"max_length": 1, "widest": 1, **limits}, known=known
    )


TABLE = np.ones(3, dtype=int)
REFUSED: dict[str, tuple[Callable[[], Any], str]] = {
    "alpha inf": (lambda: LengthPenalty("average", math.inf), "alpha is inf"),
    "beta inf": (lambda: CoveragePenalty(math.inf), "beta is inf"),
    "no token": (lambda: LengthPenalty("average").score(-1.0, 0), "length is 0; allowed is 1 or more"),
    "no length": (lambda: exact(max_length=0), "max_length is 0"),
    "no width": (lambda: exact(widest=0), "widest is 0"),
    "no room": (lambda: bounce(torch.tensor(0), torch.tensor(1), 0, 3), "room is 0"),
    "outside the room": (lambda: bounce(torch.tensor([5]), torch.tensor([1]), 4, 3), r"start \[5\]"),
    "gate": (
        lambda: gated_recurrence(torch.full((1, 2, 1), 1.5), torch.ones(1, 2, 1), torch.zeros(1, 1)),
        "update is from 1.5 to 1.5",
    ),
    "step": (
        lambda: LocalMonotonicAttention(DotAttention(), 1.0)(
            torch.ones(1, 2), torch.ones(1, 3, 2), torch.ones(1, 3, dtype=torch.bool), -1
        ),
        "step is -1",
    ),
    "counts": (lambda: keep_probability(np.array([3.0, 0.0]), 0.1), "counts are from 0.0"),
    "threshold": (lambda: keep_probability(np.array([3.0, 1.0]), 0.0), "threshold is 0.0"),
    "reach": (lambda: windows(TABLE, TABLE, 0, np.random.default_rng(0)), "reach is 0"),
    "written": (lambda: write(load_application("speller")[0], None, (), 0), "max_length is 0"),
}


@pytest.mark.parametrize("name", REFUSED)
def test_what_is_outside_a_promised_range_is_refused_by_name(name: str, unchecked: None) -> None:
    call, words = REFUSED[name]
    with pytest.raises(ValueError, match=words):
        call()


@pytest.mark.parametrize(
    "words", [("two words", "b"), ("", "b"), ("a\u00a0b", "b"), ("a\n", "b"), ("\u3000", "b")]
)
def test_a_word_that_a_file_of_vectors_cannot_hold_is_refused(tmp_path: Path, words: tuple[str, ...]) -> None:
    with pytest.raises(ValueError, match="words hold"):
        save_word_vectors(tmp_path / "v.safetensors", vectors(words, [1.0], [2.0]))


@pytest.mark.parametrize("number", [math.nan, math.inf, 9e6])
def test_a_vector_that_a_file_cannot_hold_is_refused(tmp_path: Path, number: float) -> None:
    with pytest.raises(ValueError, match="NaN, an infinity or a number of 8 million"):
        save_word_vectors(tmp_path / "v.safetensors", vectors(("a", "b"), [1.0], [number]))
    save_word_vectors(tmp_path / "v.safetensors", vectors(("a", "b"), [1.0], [8e6]))
    assert np.isfinite(load_word_vectors(tmp_path / "v.safetensors").vectors).all()


@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16, torch.float32, torch.float64])
def test_weights_sum_to_one_over_what_is_kept_however_small_its_score(dtype: torch.dtype) -> None:
    """A masked position, whatever fills it, must not share with a kept one of the smallest score there is."""
    least = torch.finfo(dtype).min
    scores = torch.tensor([[least, 7.0, least, 0.0], [7.0, least, 7.0, 7.0]], dtype=dtype)
    keep = torch.tensor([[True, False, True, False], [False, True, False, False]])
    assert masked_softmax(scores, keep).tolist() == [[0.5, 0, 0.5, 0], [0, 1, 0, 0]]


def test_an_energy_is_never_below_zero() -> None:
    """Its least value is 0, at a pattern that stands alone; computed, it is a difference of large numbers."""
    generator = torch.Generator().manual_seed(0)
    for size in range(1, 200):
        pattern = 100 * torch.randn(1, size, generator=generator)
        assert 0 <= modern_energy(pattern[0], pattern, 0.3) <= 1e-5 * pattern.square().sum()


def test_a_squared_correlation_is_never_above_one() -> None:
    """These states are the inputs of the last steps themselves, so a readout tells them exactly."""
    u = np.random.default_rng(0).normal(size=(400, 1))
    states = np.hstack([np.roll(u, k, axis=0) for k in range(1, 31)])[40:]
    curve = memory_curve(states, u[40:], 30, beta=0.0)
    assert (curve <= 1).all() and np.allclose(curve, 1)
