"""A course with one small paper that needs no torch: 7 automatic points and 3 manual ones."""

import atexit
import json
import os
import shutil
import sys
import tempfile
from functools import cache
from pathlib import Path

import nbformat
import pytest
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook

from course_tools.grading import release
from course_tools.sandbox.walls import Bubblewrap

PAPER = "mini"
REPOSITORY = Path(__file__).parents[2]
# For nbgrader a path is a file pattern and part of a URL.
ODD_NAME = "c [2026] {a}#%20" + ("" if sys.platform == "win32" else "?*")
HIDDEN = ("assert double(-3) == -6, 'twice a negative number'", "hidden_word = 'Überraschung'")
SOLUTIONS = ("return number + number", "return word.upper() + '!'")

_DOUBLE = f'''def double(number):
    """Twice a number."""
    ### BEGIN SOLUTION
    {SOLUTIONS[0]}
    ### END SOLUTION'''
_TEST_DOUBLE = f"""assert double(2) == 4
### BEGIN HIDDEN TESTS
{HIDDEN[0]}
### END HIDDEN TESTS"""
_SHOUT = f'''def shout(word):
    """The word in capitals, with an exclamation mark."""
    ### BEGIN SOLUTION
    {SOLUTIONS[1]}
    ### END SOLUTION'''
_TEST_SHOUT = f"""assert shout("a") == "A!"
### BEGIN HIDDEN TESTS
{HIDDEN[1]}
assert shout(hidden_word) == "ÜBERRASCHUNG!"
### END HIDDEN TESTS"""


def _marked(cell, name, grade, solution, points=None):
    cell.id = name
    cell.metadata["nbgrader"] = {
        "schema_version": 3,
        "grade_id": name,
        "grade": grade,
        "solution": solution,
        "locked": not solution,
        "task": False,
        **({} if points is None else {"points": points}),
    }
    return cell


def source_notebook():
    """The solved paper, as staff writes it."""
    cells = [
        new_markdown_cell("# Mini paper\n\nWith $a_i = \\frac{1}{2}$ and two functions.", id="title"),
        new_code_cell("import math", id="imports"),
        _marked(new_code_cell(_DOUBLE), "double", False, True),
        _marked(new_code_cell(_TEST_DOUBLE), "test-double", True, False, 3),
        _marked(new_code_cell(_SHOUT), "shout", False, True),
        _marked(new_code_cell(_TEST_SHOUT), "test-shout", True, False, 4),
        _marked(new_markdown_cell("Because doubling is linear."), "why", True, True, 3),
    ]
    notebook = new_notebook(cells=cells)
    notebook.metadata["kernelspec"] = {"name": "python3", "display_name": "Python 3", "language": "python"}
    return notebook


def need_sandbox():
    """Skip a test that runs students' code where there is no sandbox; where CI is set, there must be one."""
    problem = Bubblewrap().problem()
    if problem and "CI" not in os.environ:
        pytest.skip(f"students' code is not run without a sandbox: {problem}")


def make_course(folder):
    """Write a course with the repository's own settings, but short limits; return its folder."""
    paper = folder / "solutions" / PAPER
    (paper / "answers").mkdir(parents=True)
    nbformat.write(source_notebook(), paper / f"{PAPER}.ipynb")
    (paper / "answers" / "wrong.py").write_text("staff only")
    (paper / "notes.md").write_text("staff only")
    shutil.copy(REPOSITORY / "nbgrader_config.py", folder)
    with (folder / "nbgrader_config.py").open("a") as config:
        config.write("c.Execute.timeout = 4\n")
    return folder


def make_released_course(folder):
    """Write a course whose paper is released; return its folder."""
    return shutil.copytree(_released_course(), folder, dirs_exist_ok=True)


@cache
def _released_course():
    """One for all files of tests that this process runs: a release starts a kernel."""
    folder = make_course(Path(tempfile.mkdtemp(prefix="course-tests-")))
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    release(PAPER, folder)
    return folder


def cell(notebook, name):
    """The cell with a grade id, of nbformat's notebook or of plain JSON."""
    return next(c for c in notebook["cells"] if c["metadata"].get("nbgrader", {}).get("grade_id") == name)


def answered(release, **answers):
    """A student's notebook, as plain JSON: the release with some answers filled in."""
    notebook = json.loads(json.dumps(release))
    for name, text in answers.items():
        cell(notebook, name)["source"] = text
    return notebook


RIGHT = {
    "double": "def double(number):\n    return 2 * number",
    "shout": "def shout(word):\n    return f'{word.upper()}!'",
}
