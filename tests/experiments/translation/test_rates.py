"""Learning rates are tried alike, and more steps at a sound rate help."""

from types import SimpleNamespace

import pytest

from course_experiments.translation import rates
from course_experiments.translation.rates import RATES, rate_id, try_rate, try_rates
from course_experiments.translation.rungs import LADDER
from course_lib.data import load_tatoeba


def test_a_few_steps_help_and_no_rate_teaches_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    data = load_tatoeba("fra")
    few = SimpleNamespace(train=data.train[:800], validation=data.validation[:60])
    monkeypatch.setattr(rates, "load_tatoeba", lambda _: few)
    trials = ((3e-3, 0), (3e-3, 12), (0.0, 12))
    untrained, trained, idle = (try_rate("bahdanau", rate, steps) for rate, steps in trials)
    assert trained < untrained - 0.1
    assert idle == pytest.approx(untrained)


def test_every_rung_has_every_rate(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(rates, "side_by_side", lambda run, jobs: [run(*job) for job in jobs])
    monkeypatch.setattr(rates, "try_rate", lambda name, rate: len(name) + rate)
    found = {result.id: result.value for result in try_rates()}
    assert found == {rate_id(n, r): len(n) + r for n in LADDER for r in RATES}
    assert rate_id("luong_general", 6e-3) == "rate-luong-general-6e-3"
