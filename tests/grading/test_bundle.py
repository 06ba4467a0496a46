"""What students get in one file: it works in a clean folder and gives nothing away."""

import os
import shutil
import subprocess
import sys
import zipfile
from pathlib import Path

import nbformat
import pytest
from click.testing import CliRunner
from mini_paper import REPOSITORY

from course_tools import cli
from course_tools.grading.bundle import bundle
from course_tools.grading.regions import HIDDEN_TESTS, secret_lines
from course_tools.grading.session import GradingError


@pytest.fixture(scope="module")
def unpacked(tmp_path_factory):
    folder = tmp_path_factory.mktemp("bundle")
    done = CliRunner().invoke(cli.main, ["bundle", str(folder / "papers.zip")])
    assert done.exit_code == 0, done.output
    with zipfile.ZipFile(folder / "papers.zip") as archive:
        archive.extractall(folder)
    assert {path.name for path in folder.iterdir()} == {"papers", "papers.zip"}
    return folder / "papers"


def texts(folder):
    return {
        path.relative_to(folder).as_posix(): path.read_text(encoding="utf-8", errors="replace")
        for path in folder.rglob("*")
        if path.suffix in (".py", ".ipynb", ".md", ".toml", ".txt")
    }


def test_it_holds_every_paper_and_nothing_of_staff(unpacked):
    names = {path.name for path in (REPOSITORY / "solutions").iterdir() if path.name.startswith("ps")}
    assert {path.name for path in (unpacked / "assignments").iterdir()} == names
    staff = {"solutions", "answers", "grading", "sandbox", "tests", "notebooks", "course_experiments", ".git"}
    for path in unpacked.rglob("*"):
        assert not staff & set(path.relative_to(unpacked).parts), path
        assert path.name not in ("gradebook.db", "nbgrader_config.py", "grades.csv")


def test_no_hidden_test_stands_anywhere_in_it(unpacked):
    sources = {
        path.relative_to(unpacked).as_posix(): path.read_text(encoding="utf-8", errors="replace")
        for path in unpacked.rglob("*")
        if path.suffix in (".py", ".md", ".toml", ".txt")
    }
    for path in unpacked.rglob("*.ipynb"):
        sources[path.name] = "\n".join(cell.source for cell in nbformat.read(path, as_version=4).cells)
    marker = f"BEGIN {HIDDEN_TESTS}"
    assert not [name for name, text in sources.items() if marker in text]
    for source in (REPOSITORY / "solutions").glob("ps*/*.ipynb"):
        secret = secret_lines(nbformat.read(source, as_version=4).cells, (HIDDEN_TESTS,))
        assert secret
        for name, text in sources.items():
            lines = {line.strip() for line in text.split("\n")}
            if name != source.name:  # short lines of code are written by anybody
                lines = {line for line in lines if len(line) >= 40}
            assert sorted(secret & lines) == [], name


# A clone that is installed in editable form would lend the bundle what it lacks.
_COURSE = """
import sys
sys.meta_path = [finder for finder in sys.meta_path if "editable" not in getattr(finder, "__module__", "")]
from course_tools.cli import main
main()
"""


def ran(unpacked, home, *arguments):
    environment = os.environ | {"PYTHONPATH": str(unpacked)}
    command = [sys.executable, "-c", _COURSE, *arguments]
    return subprocess.run(command, cwd=home, env=environment, capture_output=True, text=True, check=False)


def test_a_student_works_in_it_from_a_clean_folder(unpacked, tmp_path):
    assert ran(unpacked, tmp_path, "start", "ps04").returncode == 0
    assert [path.name for path in tmp_path.iterdir()] == ["ps04_attention.ipynb"]
    checked = ran(unpacked, tmp_path, "check", "ps04")
    assert checked.returncode == 1 and "0 of 10 exercises are finished" in checked.stdout
    assert "ps04_attention" in ran(unpacked, tmp_path, "progress").stdout
    for command in ("grade", "release", "bundle"):
        assert "No such command" in ran(unpacked, tmp_path, command).stderr
    refused = ran(unpacked, tmp_path, "train")
    assert refused.returncode == 1 and "not part of what students get" in refused.stderr


@pytest.mark.parametrize("name", ["papers", "papers.tar"])
def test_another_kind_of_file_is_refused(name, tmp_path):
    done = CliRunner().invoke(cli.main, ["bundle", str(tmp_path / name)])
    assert done.exit_code == 2 and ".zip" in done.output and not list(tmp_path.iterdir())


def test_a_leak_or_a_missing_release_stops_it(tmp_path):
    paper = "ps04_attention"
    source = Path("solutions", paper, f"{paper}.ipynb")
    (tmp_path / source).parent.mkdir(parents=True)
    shutil.copy(REPOSITORY / source, tmp_path / source)
    shutil.copy(REPOSITORY / "nbgrader_config.py", tmp_path)
    with pytest.raises(GradingError, match=f"{paper} is not released"):
        bundle(tmp_path, tmp_path / "a.zip")
    (tmp_path / "assignments" / paper).mkdir(parents=True)
    shutil.copy(REPOSITORY / source, tmp_path / "assignments" / paper)
    with pytest.raises(GradingError, match="would leak"):
        bundle(tmp_path, tmp_path / "a.zip")
    assert not (tmp_path / "a.zip").exists()
