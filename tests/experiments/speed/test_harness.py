import pytest

from course_experiments.speed import harness


def test_the_fastest_round_counts(monkeypatch: pytest.MonkeyPatch) -> None:
    clock = iter([0.0, 5.0, 10.0, 12.0, 20.0, 23.0])
    monkeypatch.setattr(harness.time, "process_time", lambda: next(clock))
    rounds: list[None] = []
    assert harness.fastest(lambda: rounds.append(None), rounds=3) == 2.0
    assert len(rounds) == 3
