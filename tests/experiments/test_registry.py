"""The runner: seed, folder, pausing, shipping and recording, with experiments that take no time."""

from collections.abc import Callable
from pathlib import Path

import pytest
import torch

import course_experiments
from course_experiments import registry, results
from course_experiments.protocol import PAUSED, Budget, Experiment, Outcome
from course_experiments.results import Measurement, load_results

FOUND = Measurement("toy-loss", "toy", "loss", 1.23456)


def toy(budget: Budget) -> Outcome:
    """Write a file that tells what chance gave, and whether there was one before."""
    path = budget.folder / "toy.safetensors"
    before = path.exists()
    path.write_text(f"{torch.rand(()).item()} {torch.get_num_threads()} {before} {budget.minutes}")
    (budget.folder / "aside.safetensors").write_text("beside it")
    return Outcome([FOUND], [path, budget.folder / "aside.safetensors"])


@pytest.fixture
def runner(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[..., Path]:
    """The runner, with two experiments, an empty register and a package without models."""
    found = {
        "toy": Experiment("toy", "a toy", 1, toy, ships=("toy.safetensors",)),
        "endless": Experiment("endless", "never done", 1, lambda budget: PAUSED, ships=("toy.safetensors",)),
    }
    monkeypatch.setattr(registry, "experiments", lambda: found)
    monkeypatch.setattr(registry, "RUNS", tmp_path / "runs")
    monkeypatch.setattr(registry, "FOLDER", tmp_path / "package")
    monkeypatch.setattr(results, "RESULTS", tmp_path / "results")
    (tmp_path / "package").mkdir()
    return registry.train


def shipped(folder: Path) -> list[str]:
    return sorted(path.name for path in (folder / "package").iterdir())


def test_an_experiment_runs_in_its_folder_from_the_same_seed(
    runner: Callable[..., Path], tmp_path: Path
) -> None:
    torch.manual_seed(7)
    path = runner("toy", minutes=2.0)
    assert path == tmp_path / "runs" / "toy" / "toy.safetensors"
    torch.manual_seed(0)
    assert path.read_text() == f"{torch.rand(()).item()} 1 False 2.0"


def test_without_ship_nothing_leaves_the_folder_of_runs(runner: Callable[..., Path], tmp_path: Path) -> None:
    runner("toy")
    assert shipped(tmp_path) == [] and load_results() == ()


def test_ship_copies_what_the_experiment_ships_and_records_with_the_command(
    runner: Callable[..., Path], tmp_path: Path
) -> None:
    runner("toy", ship=True)
    assert shipped(tmp_path) == ["toy.safetensors"]
    (recorded,) = load_results()
    assert (recorded.id, recorded.value, recorded.command) == ("toy-loss", 1.2346, "course train toy --ship")


def test_a_second_run_goes_on_unless_it_is_to_be_fresh(runner: Callable[..., Path]) -> None:
    runner("toy")
    assert " True " in runner("toy").read_text()
    assert " False " in runner("toy", fresh=True).read_text()


def test_a_pause_ships_and_records_nothing(
    runner: Callable[..., Path], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert runner("endless", ship=True) == tmp_path / "runs" / "endless"
    assert shipped(tmp_path) == [] and load_results() == ()
    assert "endless is paused" in capsys.readouterr().out


def test_an_unknown_experiment_is_refused_by_name(runner: Callable[..., Path]) -> None:
    with pytest.raises(ValueError, match=r"name is 'mount'; allowed are 'toy', 'endless'"):
        runner("mount")


def test_two_experiments_of_one_name_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    twice = ["course_experiments.translation.rates", "course_experiments.translation.rates"]
    monkeypatch.setattr(registry, "_modules", lambda: iter(twice))
    with pytest.raises(ValueError, match=r"two experiments are called 'rates'"):
        registry.experiments.__wrapped__()


def test_every_command_in_the_register_is_one_that_can_be_typed() -> None:
    known = {f"course train {name} --ship" for name in registry.experiments()}
    known |= {f"course bench {which}--ship" for which in ("", "--widgets ", "--grading ")}
    for recorded in load_results():
        assert recorded.command in known, recorded.id


def test_a_file_in_a_topic_is_found_without_being_named_anywhere(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "cooking").mkdir()
    (tmp_path / "cooking" / "__init__.py").touch()
    (tmp_path / "cooking" / "soup.py").write_text(
        "from course_experiments.protocol import PAUSED, Experiment\n"
        "EXPERIMENTS = [Experiment('soup', 'a soup', 1, lambda budget: PAUSED)]\n"
    )
    monkeypatch.setattr(course_experiments, "__path__", [*course_experiments.__path__, str(tmp_path)])
    assert registry.experiments.__wrapped__()["soup"].what == "a soup"
