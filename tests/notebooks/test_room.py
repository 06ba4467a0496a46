"""A lecture fits its room: minutes add up, code that is not the point is folded, predictions are answered."""

import re
from pathlib import Path

import nbformat
import pytest
from nbformat.notebooknode import NotebookNode

LECTURES = sorted(Path(__file__).parents[2].glob("notebooks/*.ipynb"))
LONGEST = 50  # minutes
MOST_LINES = 200  # of code in sight
MOST_PREDICTIONS = 6
PREDICTION = re.compile(r"\*\*Predict|^#+ .*Predict", re.M)
ANSWER = re.compile(r"<details>\s*<summary>.+?</summary>.*?</details>", re.S)
OPTION = re.compile(r"\(([a-f])\)")
NOT_THE_POINT = re.compile(r"^(import|from) |\b(Chart|Table|result_table|embed_\w+)\(", re.M)

every_lecture = pytest.mark.parametrize("lecture", LECTURES, ids=lambda path: path.stem)


def cells(lecture: Path) -> list[NotebookNode]:
    return list(nbformat.read(lecture, as_version=4).cells)


def folded(cell: NotebookNode) -> bool:
    return bool(cell.metadata.get("jupyter", {}).get("source_hidden"))


def lines(cell: NotebookNode) -> int:
    return sum(bool(line.strip()) for line in cell.source.splitlines())


def unanswered(lecture: list[NotebookNode]) -> list[str]:
    """What is wrong with the predictions of a lecture, and with what answers them."""
    problems, asked, options = [], "", set()
    for cell in lecture:
        if cell.cell_type == "code":
            if asked and not cell.source.startswith("reveal("):
                problems.append(f"{cell.id} may show the answer to {asked}: begin it with reveal()")
            continue
        answers = "".join(ANSWER.findall(cell.source))
        question = ANSWER.sub("", cell.source)
        if PREDICTION.search(question):
            if asked:
                problems.append(f"{asked} has no folded answer before {cell.id}")
            asked, options = cell.id, set(OPTION.findall(question))
        if asked and answers:
            missing = sorted(options - set(OPTION.findall(answers)))
            if missing:
                problems.append(f"the answer in {cell.id} says nothing about {missing} of {asked}")
            asked = ""
    return [*problems, *([f"{asked} has no folded answer"] if asked else [])]


@every_lecture
def test_the_minutes_of_its_parts_are_those_that_it_states(lecture: Path) -> None:
    title, *others = cells(lecture)
    (stated,) = map(int, re.findall(r"\*\*Time:\*\* (\d+) minutes", title.source))
    assert stated <= LONGEST
    assert sum(cell.metadata.get("minutes", 0) for cell in (title, *others)) == stated


@every_lecture
def test_code_in_sight_is_what_is_taught(lecture: Path) -> None:
    code = [cell for cell in cells(lecture) if cell.cell_type == "code"]
    in_sight = [cell for cell in code if not folded(cell)]
    assert sum(map(lines, in_sight)) <= MOST_LINES
    assert not [cell.id for cell in in_sight if NOT_THE_POINT.search(cell.source)]


@every_lecture
def test_every_prediction_is_answered_option_by_option_and_not_before_it_is_asked(lecture: Path) -> None:
    assert not unanswered(cells(lecture))
    questions = [ANSWER.sub("", cell.source) for cell in cells(lecture) if cell.cell_type == "markdown"]
    assert sum(len(PREDICTION.findall(question)) for question in questions) <= MOST_PREDICTIONS


def test_a_prediction_without_its_answer_is_found() -> None:
    def markdown(source: str) -> NotebookNode:
        return nbformat.v4.new_markdown_cell(source, id=f"m{len(source)}")

    question = markdown("**Predict:** (a) less · (b) more")
    answer = markdown("<details><summary>Answer</summary>(b). (a) would be so if …</details>")
    shows = nbformat.v4.new_code_cell("reveal()\nprint(2)", id="shows")
    careless = nbformat.v4.new_code_cell("print(2)", id="careless")
    half = markdown("<details><summary>Answer</summary>(b).</details>")
    open_answer = markdown("(b), because (a) …")
    assert not unanswered([question, shows, shows, answer, careless])
    assert not unanswered([markdown(question.source + "\n\n" + answer.source), careless])
    assert "careless" in unanswered([question, careless, answer])[0]
    assert "['a']" in unanswered([question, shows, half])[0]
    assert "no folded answer" in unanswered([question, shows, open_answer])[0]
    assert "no folded answer" in unanswered([question, shows, question, answer])[0]
