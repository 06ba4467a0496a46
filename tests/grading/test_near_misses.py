"""Near misses of model answers: what is changed in them, and which of them get full marks."""

import ast

import nbformat
import pytest
from nbformat.v4 import new_code_cell, new_notebook

from course_tools.grading import mutants
from course_tools.grading.solved_paper import SolvedPaper

ANSWER = '''def share(numbers: list[int], start: int = 0) -> float:
    """Return the share of the numbers above a start."""
    return len([n for n in numbers if n > start]) / len(numbers)'''
WEAK = "assert share([1, 2]) == 1"
STRONG = "assert share([1, 0, 2, -1]) == 0.5\nassert share([1, 2, 3, 4], 3) == 0.25"


def changes(answer: str) -> set[str]:
    return {mutant.change for mutant in mutants.mutants(answer)}


def write_paper(folder, test):
    """Write a paper of one exercise."""
    cells = []
    for name, source, solution in (("share", ANSWER, True), ("test-share", test, False)):
        cell = new_code_cell(source, id=name)
        cell.metadata["nbgrader"] = {
            "grade_id": name,
            "grade": not solution,
            "solution": solution,
            "locked": not solution,
            "schema_version": 3,
            "task": False,
            **({} if solution else {"points": 2}),
        }
        cells.append(cell)
    path = folder / "share" / "share.ipynb"
    path.parent.mkdir(parents=True)
    nbformat.write(new_notebook(cells=cells), path)
    return SolvedPaper(path)


@pytest.mark.parametrize(
    ("answer", "change"),
    {
        "operator": ("a + b", "a + b  ->  a - b"),
        "term left out": ("a + b", "a + b  ->  a"),
        "comparison": ("a < b", "a < b  ->  a <= b"),
        "number": ("f(3)", "3  ->  4"),
        "truth value": ("x = True", "True  ->  False"),
        "opposite": ("x.max(1)", "x.max(1)  ->  x.min(1)"),
        "call left out": ("x.clamp(min=1)", "x.clamp(min=1)  ->  x"),
        "keyword left out": ("f(x, dim=1)", "f(x, dim=1)  ->  f(x)"),
        "arguments swapped": ("f(x, y)", "f(x, y)  ->  f(y, x)"),
        "slice": ("x = y[1:]", "y[1:]  ->  y[:]"),
        "statement left out": ("x = 1", "x = 1  ->  pass"),
        "condition": ("if a:\n    b", "if a:  ->  if False:"),
        "loop ends early": ("for a in b:\n    c(a)", "for a in b:  ->  for a in b:"),
    }.values(),
)
def test_one_thing_is_changed(answer, change):
    assert change in changes(answer)


def test_every_near_miss_is_another_program_and_the_answer_stays():
    found = [mutant.source for mutant in mutants.mutants(ANSWER)]
    assert len(set(found)) == len(found) > 5
    assert all("Return the share" in source and "list[int]" in source for source in found)
    assert ast.unparse(ast.parse(ANSWER)) not in found


def test_what_no_test_tells_apart_gets_full_marks(tmp_path):
    weak = {m.change for m in mutants.survivors(write_paper(tmp_path / "weak", WEAK), "share")}
    strong = {m.change for m in mutants.survivors(write_paper(tmp_path / "strong", STRONG), "share")}
    assert "n > start  ->  n >= start" in weak
    assert strong == set()


def test_a_near_miss_that_never_ends_gets_no_marks(tmp_path, monkeypatch):
    monkeypatch.setattr(mutants, "SECONDS", 0.2)
    paper = write_paper(tmp_path, STRONG)
    endless = mutants.Mutant(1, "", "def share(numbers, start=0):\n    while True:\n        pass")
    monkeypatch.setattr(mutants, "mutants", lambda source: iter([endless]))
    assert list(mutants.survivors(paper, "share")) == []


def test_a_name_that_is_no_paper_is_refused(tmp_path, monkeypatch):
    write_paper(tmp_path, STRONG)
    monkeypatch.setattr(mutants, "SOLUTIONS", tmp_path)
    with pytest.raises(SystemExit, match="there is no ps99; there are share"):
        mutants.main(["ps99"])


def test_survivors_are_printed_by_exercise(tmp_path, monkeypatch, capsys):
    write_paper(tmp_path, WEAK)
    monkeypatch.setattr(mutants, "SOLUTIONS", tmp_path)
    mutants.main(["share"])
    shown = capsys.readouterr().out
    assert shown.startswith("share: ") and "line 3: n > start  ->  n >= start" in shown
