"""Each paper's tests, run on the right answers, on none, and on every answer that staff keep beside it."""

import pytest
from harness import Answer, Paper, papers
from nbgrader.preprocessors import ClearHiddenTests, ClearSolutions

EXERCISES = [(paper, exercise) for paper in papers() for exercise in paper.exercises()]
ANSWERS = [(paper, answer) for paper in papers() for answer in paper.answers()]


def stub(source: str) -> str:
    """Return what nbgrader puts in the place of an answer."""
    clear = ClearSolutions()
    cell = {"cell_type": "code", "source": source, "metadata": {"nbgrader": {"solution": True}}}
    return released(clear, cell)


def released(preprocessor, cell: dict) -> str:
    from nbformat import NotebookNode, from_dict

    node: NotebookNode = from_dict(cell)
    node, _ = preprocessor.preprocess_cell(node, {"language": "python"}, 0)
    return node.source


@pytest.mark.parametrize(("paper", "exercise"), EXERCISES, ids=lambda value: getattr(value, "name", value))
class TestExercise:
    def test_the_solution_gets_full_marks(self, paper: Paper, exercise: str):
        result = paper.run(exercise, paper.source(exercise))
        assert result.messages == ()
        assert result.points == result.possible > 0

    def test_an_empty_answer_gets_nothing(self, paper: Paper, exercise: str):
        empty = stub(paper.source(exercise))
        assert "raise NotImplementedError" in empty
        result = paper.run(exercise, empty)
        assert result.points == 0
        assert all("not written yet" in message for message in result.messages)

    def test_no_answer_at_all_gets_nothing(self, paper: Paper, exercise: str):
        result = paper.run(exercise, "")
        assert result.points == 0
        assert all("there is no" in message for message in result.messages)

    def test_there_are_visible_and_hidden_checks(self, paper: Paper, exercise: str):
        sources = [cell.source for cell in paper.exercises()[exercise]]
        shown = [released(ClearHiddenTests(), dict(c)) for c in paper.exercises()[exercise]]
        assert any(text == source for text, source in zip(shown, sources, strict=True))
        assert any(text != source for text, source in zip(shown, sources, strict=True))
        assert all("hidden(" not in text for text in shown)

    def test_staff_keep_four_wrong_and_two_right_answers(self, paper: Paper, exercise: str):
        kept = [answer.right for answer in paper.answers() if answer.exercise == exercise]
        assert kept.count(False) >= 4
        assert kept.count(True) >= 2


@pytest.mark.parametrize(
    ("paper", "answer"),
    ANSWERS,
    ids=lambda value: f"{value.exercise}/{value.path.stem}" if isinstance(value, Answer) else value.name,
)
def test_an_answer_gets_what_it_deserves(paper: Paper, answer: Answer):
    assert answer.exercise in paper.exercises()
    assert answer.docstring
    result = paper.run(answer.exercise, answer.source)
    if answer.right:
        assert result.messages == ()
        assert result.points == result.possible
    else:
        assert result.points < result.possible
        assert any(answer.phrase in message for message in result.messages), result.messages
        assert all(message.startswith("CheckError: ") and "\n" not in message for message in result.messages)
