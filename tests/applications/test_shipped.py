"""One table holds every trained model of the package, and says how to load it."""

import shutil
from pathlib import Path

import pytest

from course_experiments.registry import experiments
from course_lib.applications.shipped import SHIPPED
from course_lib.checkpoints import FOLDER, CheckpointError

MEGABYTE = 1_000_000


def test_the_table_is_the_folder() -> None:
    assert set(SHIPPED) == {
        path.name for path in FOLDER.iterdir() if path.suffix in {".safetensors", ".json"}
    }


def test_every_shipped_model_has_the_experiment_that_makes_it() -> None:
    assert set(SHIPPED) == {name for experiment in experiments().values() for name in experiment.ships}
    for name in SHIPPED:
        assert name in experiments()[name.partition(".")[0]].ships  # what the doctor advises


def test_the_package_stays_small() -> None:
    sizes = {name: (FOLDER / name).stat().st_size for name in SHIPPED}
    assert max(sizes.values()) <= 8 * MEGABYTE
    assert sum(sizes.values()) <= 28 * MEGABYTE


@pytest.mark.parametrize("name", [name for name in SHIPPED if name.endswith(".safetensors")])
def test_another_model_in_the_place_of_one_raises_the_promised_error(name: str, tmp_path: Path) -> None:
    other = "count_lstm_abc" if name.startswith(("translator", "app")) else "translator_cho"
    shutil.copy(FOLDER / f"{other}.safetensors", tmp_path / name)
    with pytest.raises(CheckpointError, match=name):
        SHIPPED[name](tmp_path / name)
