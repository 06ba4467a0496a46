"""The repository as a stranger finds it: what is committed, what is promised, what would break elsewhere."""

import re
import subprocess
import tomllib
from itertools import pairwise
from pathlib import Path

import nbformat
import pytest
import yaml
from packaging.requirements import Requirement

from course_lib.data import (
    load_babi,
    load_fashion_mnist,
    load_flowers,
    load_glove,
    load_imagenet_names,
    load_mnist,
    load_photographs,
    load_sketches,
    load_spoken_digits,
    load_sunspots,
    load_tatoeba,
    load_tiny_shakespeare,
    load_wiki_geo,
)
from course_tools import cli, docs
from course_tools.grading.grade import STATUSES
from course_tools.grading.submissions import SIZE_LIMIT

ROOT = Path(__file__).parents[1]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf8"))["project"]
COMMITTED = subprocess.run(
    ["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, text=True, check=True
).stdout
FILES = [ROOT / name for name in COMMITTED.split("\0") if name and (ROOT / name).is_file()]
CHECKPOINTS = [path for path in FILES if path.suffix == ".safetensors"]
NOTEBOOKS = [path for path in FILES if path.suffix == ".ipynb"]
PAGES = docs.pages(ROOT)
TEXTS = [
    path
    for path in FILES
    if path.suffix in {".py", ".md", ".ipynb", ".yml", ".toml", ".txt", ".js", ".ts", ".json", ""}
]

# Spelled in pieces, so that this file does not match itself.
REGISTRY = re.compile(
    "|".join(["py" + "pi", "python" + "hosted", "npm" + "js", "deb" + r"\.debian", "conda" + r"\.io"])
)
MACHINE = re.compile(r"(?<![\w.])(?:/(?:work|farm|root|home/\w+|Users/\w+)/|[A-Z]:\\Users\\)")
FETCH = re.compile(
    r"\b(?:urlopen|urlretrieve|requests\.get|httpx\.get|wget|curl|hub\.load|load_state_dict_from_url)\b"
)


def name(path: Path) -> str:
    return path.relative_to(ROOT).as_posix()


@pytest.mark.parametrize("path", NOTEBOOKS, ids=name)
def test_notebook_is_clean(path: Path) -> None:
    notebook = nbformat.read(path, as_version=nbformat.NO_CONVERT)
    nbformat.validate(notebook)
    assert (notebook.nbformat, notebook.nbformat_minor) == (4, 5)
    assert path.stat().st_size < 1_000_000
    assert "widgets" not in notebook.metadata
    # By these `nbconvert --to script` knows that it writes Python, where the kernel is not installed.
    language = {"name": "python", "file_extension": ".py", "nbconvert_exporter": "python"}
    assert notebook.metadata.language_info == language
    ids = [cell.id for cell in notebook.cells]
    assert len(set(ids)) == len(ids)
    for cell in notebook.cells:
        assert not cell.get("outputs")
        assert cell.get("execution_count") is None
        assert not cell.get("attachments")


@pytest.mark.parametrize("path", sorted((ROOT / "notebooks").glob("*.ipynb")), ids=name)
def test_lecture_opens_with_its_aims_and_is_a_deck(path: Path) -> None:
    cells = nbformat.read(path, as_version=4).cells
    assert cells[0].cell_type == "markdown" and cells[0].source.startswith("# ")
    assert all(word in cells[0].source for word in ("**Time:**", "**Builds on:**"))
    parameters = next(cell for cell in cells if "parameters" in cell.metadata.get("tags", []))
    assert all(line in parameters.source for line in ('PRESET = "lecture"', "SEED = 0", "THREADS = 1"))
    assert all(cell.metadata.get("slideshow", {}).get("slide_type") for cell in cells)
    text = "\n".join(cell.source for cell in cells if cell.cell_type == "markdown")
    levels = [len(signs) for signs in re.findall(r"^(#+) ", text, re.M)]
    assert all(deeper <= level + 1 for level, deeper in pairwise(levels))


@pytest.mark.parametrize("path", sorted((ROOT / "notebooks").glob("*.ipynb")), ids=name)
def test_lecture_takes_its_seed_and_its_threads_from_its_parameters(path: Path) -> None:
    code = [cell.source for cell in nbformat.read(path, as_version=4).cells if cell.cell_type == "code"]
    assert sum("set_up(PRESET, SEED, THREADS)" in source for source in code) == 1
    assert not re.search(r"set_num_threads|(?:manual_seed|default_rng)\(\s*\d", "\n".join(code))


@pytest.mark.parametrize("path", TEXTS, ids=name)
def test_text_names_no_registry_no_machine_and_fetches_nothing(path: Path) -> None:
    text = path.read_text(encoding="utf8")
    assert not REGISTRY.search(text)
    assert not MACHINE.search(text)
    if path.suffix in {".py", ".ipynb", ".js"} and "tests" not in path.parts:
        assert not FETCH.search(text)


def test_no_system_changes_the_line_ends_of_checksummed_files() -> None:
    """Git for Windows turns line ends into CR LF in what it takes for text."""
    names = [name(path) for path in FILES if path.is_relative_to(ROOT / "course_lib" / "data")]
    kept = [file for file in names if file.count("/") == 3] + [name(path) for path in CHECKPOINTS]
    asked = ["git", "check-attr", "text", "--", *kept]
    said = subprocess.run(asked, cwd=ROOT, capture_output=True, text=True, check=True).stdout
    assert {line.rpartition(": ")[2] for line in said.splitlines()} == {"unset"}


def test_constraints_lock_every_package_within_range() -> None:
    lines = (ROOT / "constraints.txt").read_text(encoding="utf8").splitlines()
    locked = {_key(line.partition("==")[0]): line.partition("==")[2] for line in lines}
    assert all(re.fullmatch(r"[A-Za-z0-9._-]+==[A-Za-z0-9.]+", line) for line in lines)
    asked = PROJECT["dependencies"] + [
        line for lines in PROJECT["optional-dependencies"].values() for line in lines
    ]
    for requirement in map(Requirement, asked):
        if requirement.name == PROJECT["name"]:  # an extra that holds another
            continue
        assert requirement.specifier.contains(locked[_key(requirement.name)], prereleases=True), requirement


def _key(package: str) -> str:
    return re.sub(r"[-_.]+", "-", package).lower()


def test_conda_users_get_the_same_package_and_pins() -> None:
    environment = yaml.safe_load((ROOT / "environment.yml").read_text(encoding="utf8"))
    lists = [entry["pip"] for entry in environment["dependencies"] if isinstance(entry, dict)]
    assert lists == [["-c constraints.txt", "-e .[course]"]]
    assert "pip" in environment["dependencies"]
    assert "python=3.11" in environment["dependencies"]
    assert PROJECT["requires-python"] == ">=3.11"


@pytest.mark.parametrize("page", PAGES, ids=name)
def test_what_is_drawn_is_up_to_date(page: Path) -> None:
    assert docs.redrawn(page) == page.read_text(encoding="utf8"), "run `make readme`"


def test_every_block_stands_on_one_page() -> None:
    text = "".join(page.read_text(encoding="utf8") for page in PAGES)
    assert sorted(re.findall(r"<!-- drawn: (\w+) -->", text)) == sorted(docs.BLOCKS)


def test_readme_is_read_in_two_minutes_and_leads_to_every_page() -> None:
    text = (ROOT / "README.md").read_text(encoding="utf8")
    assert len(text.splitlines()) <= 130
    assert all(f"({page.relative_to(ROOT).as_posix()})" in text for page in PAGES if page.parent != ROOT)


@pytest.mark.parametrize("page", PAGES, ids=name)
def test_page_names_only_what_is_there(page: Path) -> None:
    text = page.read_text(encoding="utf8")
    for target in re.findall(r"\]\((?!https?:|#)([^)#]+)", text):
        assert (page.parent / target).exists(), target
    headings = re.findall(r"^#+ (.+)$", text, re.M)
    assert set(re.findall(r"\]\(#([^)]+)\)", text)) <= {line.lower().replace(" ", "-") for line in headings}
    makefile = (ROOT / "Makefile").read_text(encoding="utf8")
    for target in re.findall(r"(?:^|`)make ([a-z-]+)", text, re.M):
        assert f"\n{target}:" in makefile, target
    assert set(re.findall(r"(?:^|`)course ([a-z]+)", text, re.M)) <= set(cli.main.commands)


def test_licence_and_attribution_of_every_data_set_are_stated() -> None:
    text = (ROOT / "docs" / "data.md").read_text(encoding="utf8")
    for page in (ROOT / "course_lib" / "data").glob("*/README.md"):
        assert f"(../course_lib/data/{page.parent.name}/README.md)" in text
        (attribution,) = re.findall(r'\*\*Attribution to show:\*\* "?(.+?)"?$', page.read_text("utf8"), re.M)
        assert f"| {attribution} |" in text
    loaded = [load_tatoeba("fra"), load_tatoeba("tur"), load_babi(1), load_spoken_digits(), load_mnist()]
    loaded += [load_tiny_shakespeare(), load_sunspots(), load_wiki_geo(), load_glove(), load_fashion_mnist()]
    loaded += [load_flowers(), load_sketches(), load_photographs(), load_imagenet_names()]
    for dataset in loaded:
        assert f"| {dataset.licence} | {dataset.attribution} |" in text


def test_graders_find_every_state_and_limit_of_a_submission() -> None:
    text = (ROOT / "docs" / "graders.md").read_text(encoding="utf8")
    assert re.findall(r"^\| `(\w+)` \|", text, re.M) == list(STATUSES)
    assert f"a file over {SIZE_LIMIT / 1e6:.0f} MB" in text
    config = (ROOT / "nbgrader_config.py").read_text(encoding="utf8")
    (cell,) = re.findall(r"Execute\.timeout = (\d+)", config)
    (paper,) = re.findall(r"Times\.paper = (\d+)", config)
    (memory, file, processes) = (
        int(re.findall(rf"Limits\.{name} = ([\d_]+)", config)[0]) for name in ("memory", "file", "processes")
    )
    sizes = f"{memory / 1e9:.0f} GB of memory, {processes} processes, {file / 1e6:.0f} MB a file"
    assert f"Limits: {cell} s a cell, {paper} s a submission, {sizes}" in text


def test_ci_runs_the_tests_that_the_readme_names() -> None:
    assert "exec make test" in (ROOT / ".ci" / "run").read_text(encoding="utf8")
    workflow = yaml.safe_load((ROOT / ".github/workflows/tests.yml").read_text(encoding="utf8"))
    assert workflow["jobs"]["tests"]["steps"][-1]["run"] == "bash .ci/run"
