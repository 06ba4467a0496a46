"""One table holds every trained model of the package, and says how to load it."""

from course_experiments.registry import experiments
from course_lib.applications.shipped import SHIPPED
from course_lib.checkpoints import FOLDER

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
