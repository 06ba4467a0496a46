"""The ladder: every rung with the same conditions, cut off and gone on with, recorded with its spread."""

import statistics
from pathlib import Path

import pytest

from course_experiments.protocol import Budget
from course_experiments.translation import rungs
from course_experiments.translation.rungs import LADDER, RUNGS, Trained, climb, seed_results
from course_experiments.translation.translators import RECIPES, Measured


def trained(bleu: float) -> Trained:
    """A rung that reached this."""
    return Trained(
        Path("x.safetensors"), Measured(bleu, bleu + 2, 0.9, "sig", 4.0, {"4-5": (bleu, 9)}, 10, 0.5), 3, 1.0
    )


def test_every_rung_has_a_recipe_and_the_ends_three_seeds() -> None:
    assert RUNGS.keys() == RECIPES.keys() and LADDER.keys() <= RUNGS.keys()
    first, *_, last = LADDER.values()
    assert len(first) == len(last) == 3
    assert len({recipe.schedule.epochs for recipe in RECIPES.values()}) == 1


def test_seeds_are_recorded_as_mean_and_standard_deviation() -> None:
    greedy = seed_results("transformer", [trained(b) for b in (30.0, 33.0, 36.0)])[0]
    assert greedy.id == "ladder-transformer-bleu-greedy"
    assert (greedy.value, greedy.spread) == (33.0, statistics.stdev([30, 33, 36]))


def test_a_rung_that_was_paused_is_not_recorded(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def pretend(name: str, seed: int, folder: Path, minutes: float | None) -> Trained | None:
        visited.append(folder)
        assert minutes == 3.0
        return None if (name, seed) in {("cho", 0), ("transformer", 2)} else trained(20.0 + seed)

    visited: list[Path] = []
    monkeypatch.setattr(rungs, "train_rung", pretend)
    monkeypatch.setattr(rungs, "side_by_side", lambda run, jobs: [run(*job) for job in jobs])
    outcome = climb(Budget(tmp_path, 3.0))
    assert len(set(visited)) == sum(map(len, LADDER.values()))
    ids = {measured.id for measured in outcome.measurements}
    assert "ladder-sutskever-bleu-greedy" in ids and "translator-bahdanau-bleu-greedy" in ids
    assert not any("cho" in id or "transformer" in id for id in ids)
    assert len(outcome.checkpoints) == len(LADDER) - 2
    assert outcome.paused
