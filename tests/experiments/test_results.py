import json
import os
from dataclasses import replace
from datetime import date
from pathlib import Path

import pytest
import torch

from course_experiments import results
from course_experiments.results import Measurement, Result, load_results, new_result, record, result

NUMBER = Result(
    id="toy-bleu",
    experiment="toy",
    metric="BLEU",
    value=31.25,
    spread=0.5,
    published=30.0,
    published_source="Somebody 2015, table 1",
    seed=0,
    hardware="one core",
    date="2026-11-27",
    command="course train toy",
)


@pytest.fixture
def empty_register(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr(results, "RESULTS", tmp_path / "results")
    return tmp_path / "results"


def test_a_recorded_result_comes_back(empty_register: Path) -> None:
    other = replace(NUMBER, id="toy-loss", value=1.5, spread=None, published=None, published_source="")
    record(NUMBER, other)
    assert load_results() == (NUMBER, other)
    record(replace(NUMBER, value=32.0))
    assert result("toy-bleu").value == 32.0
    assert result("toy-loss") == other
    assert [path.name for path in empty_register.iterdir()] == ["toy.json"]
    assert json.loads((empty_register / "toy.json").read_text())[0]["metric"] == "BLEU"


def test_an_unknown_result_names_those_that_exist(empty_register: Path) -> None:
    record(NUMBER)
    with pytest.raises(KeyError, match="no result 'toy-blue'; there are: toy-bleu"):
        result("toy-blue")


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"id": "Toy BLEU"}, "id is 'Toy BLEU'; allowed are"),
        ({"experiment": "../toy"}, "experiment is '../toy'"),
        ({"value": float("nan")}, "value of toy-bleu is nan"),
        ({"published_source": ""}, "needs its source"),
        ({"date": "27.11.2026"}, "27.11.2026"),
    ],
)
def test_a_result_that_makes_no_sense_is_refused(change: dict, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        replace(NUMBER, **change)


def test_results_of_the_course_have_unique_ids_and_a_file_each_experiment() -> None:
    recorded = load_results()
    assert len({entry.id for entry in recorded}) == len(recorded)
    for path in results.RESULTS.glob("*.json"):
        assert {entry["experiment"] for entry in json.loads(path.read_text(encoding="utf8"))} == {path.stem}


def test_a_new_result_says_when_and_on_what_it_was_measured() -> None:
    new = new_result(Measurement("x-y", "x", "things", 1 / 3, 2 / 3), "course bench")
    assert (new.value, new.spread, new.seed, new.date) == (0.3333, 0.6667, 0, date.today().isoformat())
    assert new.hardware.endswith(f"one thread of {os.cpu_count()} cores, torch {torch.__version__}")
