"""What a wheel holds, and what it says where something is not installed."""

import subprocess
import sys
import tomllib
from pathlib import Path

import pytest
from click.testing import CliRunner

from course_lib.extras import import_for_notebooks
from course_tools import cli, console, installed
from course_tools.papers import paper as papers

ROOT = Path(__file__).parents[2]


def contents(folder: Path) -> dict[str, bytes]:
    made = {".ipynb_checkpoints", "__pycache__"}
    files = (path for path in folder.rglob("*") if path.is_file() and not made & {*path.parts})
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in files}


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The packages as a wheel holds them."""
    folder = tmp_path_factory.mktemp("wheel")
    egg = ["egg_info", "--egg-base", str(tmp_path_factory.mktemp("egg"))]
    command = [sys.executable, "setup.py", "-q", *egg, "build_py", "--build-lib", str(folder)]
    subprocess.run(command, cwd=ROOT, check=True, capture_output=True)
    return folder


def test_a_wheel_brings_its_lectures_and_papers_and_no_solutions(built: Path, tmp_path: Path) -> None:
    assert not installed.is_clone(built)
    made = installed.get_lectures(tmp_path / "my course", built)
    assert [path.name for path in made] == ["notebooks", "assignments"]
    for folder in made:
        assert contents(folder) == contents(ROOT / folder.name) != {}
    assert not [name for name in contents(built) if "solutions" in name or "/answers/" in name]


def test_a_wheel_leaves_nothing_of_the_packages_behind(built: Path) -> None:
    for package in ("course_lib", "course_experiments", "course_tools"):
        left = contents(ROOT / package).keys() - contents(built / package).keys()
        assert all(name.endswith(".d.ts") for name in left), left  # those are for our own checks


def test_a_wheel_starts_a_paper_that_it_brought(
    built: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(papers, "shipped", lambda name: installed.shipped(name, built))
    done = CliRunner().invoke(cli.main, ["start", "ps04", "--folder", str(tmp_path)])
    assert done.exit_code == 0, done.output
    paper = built / "course_tools" / "shipped" / "assignments" / "ps04_attention"
    assert contents(tmp_path) == contents(paper) != {}


def test_a_clone_brings_the_same(tmp_path: Path) -> None:
    done = CliRunner().invoke(cli.main, ["get", str(tmp_path / "new")])
    assert done.exit_code == 0, done.output
    assert contents(tmp_path / "new" / "notebooks") == contents(ROOT / "notebooks")


def test_get_overwrites_nothing(tmp_path: Path) -> None:
    (tmp_path / "answers.txt").write_text("mine")
    again = CliRunner().invoke(cli.main, ["get", str(tmp_path)])
    assert again.exit_code == 2 and "not empty" in again.output
    assert contents(tmp_path) == {"answers.txt": b"mine"}


def test_outside_the_course_the_way_to_the_lectures_is_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(console, "__file__", str(tmp_path / "course_tools" / "console.py"))
    for command in (["lab"], ["run", "11"], ["release"]):
        done = CliRunner().invoke(cli.main, command)
        assert done.exit_code == 2 and "course get FOLDER" in done.output


def test_what_needs_a_clone_says_so(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    installed.get_lectures(tmp_path / "new")
    monkeypatch.chdir(tmp_path / "new")
    for command in (["release"], ["grade", "ps04_attention", "."], ["feedback", "ps04_attention"]):
        done = CliRunner().invoke(cli.main, command)
        assert done.exit_code == 2 and "in a clone of the course's repository" in done.output


@pytest.mark.parametrize(("command", "package"), [(["lab"], "jupyterlab"), (["run", "11"], "papermill")])
def test_a_command_says_which_package_is_missing_and_what_to_do(
    command: list[str], package: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in [name for name in sys.modules if name.split(".")[0] == package]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setattr(sys, "meta_path", [Missing(package), *sys.meta_path])
    done = CliRunner().invoke(cli.main, command)
    assert done.exit_code == 1
    assert f"`course {command[0]}` needs {package}" in done.output and "pip install" in done.output


def test_the_library_says_what_its_widgets_need(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "meta_path", [Missing("a_package"), *sys.meta_path])
    with pytest.raises(ModuleNotFoundError, match=r"a_package needs a_package.*\[notebook\]"):
        import_for_notebooks("a_package")
    with pytest.raises(ModuleNotFoundError, match=r"^No module named .course_lib\.nothing.$"):
        import_for_notebooks("course_lib.nothing")


class Missing:
    """Where Python looks first: one package is not there."""

    def __init__(self, package: str) -> None:
        self.package = package

    def find_spec(self, name: str, path: object = None, target: object = None) -> None:
        if name.split(".")[0] == self.package:
            raise ModuleNotFoundError(f"No module named {name!r}", name=self.package)


def test_what_to_do_fits_a_clone_and_a_wheel(tmp_path: Path) -> None:
    assert "-e '.[course]'" in installed.reinstall() and str(ROOT) in installed.reinstall()
    assert "FILE.whl[course]" in installed.reinstall(tmp_path)
    assert "-e" not in installed.reinstall(tmp_path)


def test_what_cells_need_leaves_the_kernel_alone() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf8"))["project"]
    extras = project["optional-dependencies"]
    assert f"{project['name']}[notebook]" in extras["course"]
    server = ("jupyter", "notebook", "ipykernel", "nb", "torch")
    assert not [line for line in extras["notebook"] if line.startswith(server)]
