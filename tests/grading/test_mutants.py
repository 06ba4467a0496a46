"""Each paper's tests, run on the right answers, on none, and on every answer that staff keep beside it."""

import ast
import builtins

import pytest
from harness import KeptPaper, papers
from kept_answers import Answer
from nbformat.v4 import new_code_cell
from nbgrader.preprocessors import ClearHiddenTests, ClearSolutions, NbGraderPreprocessor

EXERCISES = [(paper, exercise) for paper in papers() for exercise in paper.exercises()]
ANSWERS = [(paper, answer) for paper in papers() for answer in paper.answers()]


def released(preprocessor: NbGraderPreprocessor, source: str) -> str:
    """Return what nbgrader leaves of an answer or a test."""
    cell = new_code_cell(source, metadata={"nbgrader": {"solution": True, "grade": True}})
    return preprocessor.preprocess_cell(cell, {"language": "python"}, 0)[0].source


def free_names(source: str) -> set[str]:
    """Return the names that a cell reads but does not bind itself."""
    read, bound = set(), set(dir(builtins))
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Name):
            (read if isinstance(node.ctx, ast.Load) else bound).add(node.id)
        elif isinstance(node, ast.FunctionDef):
            bound.add(node.name)
        elif isinstance(node, ast.arg):
            bound.add(node.arg)
        elif isinstance(node, ast.alias):
            bound.add((node.asname or node.name).partition(".")[0])
    return read - bound


def calls_outside_cases(body: list[ast.stmt]) -> set[str]:
    """Return what is called where an error would show its traceback, and with it the hidden test."""
    found = set()
    for statement in body:
        if isinstance(statement, ast.For):
            found |= calls_outside_cases(statement.body) | calls_in(statement.iter)
        elif isinstance(statement, ast.With):
            assert all(calls_in(item.context_expr) <= {"visible", "hidden"} for item in statement.items)
        elif not isinstance(statement, ast.FunctionDef):
            found |= calls_in(statement)
    return found


def calls_in(node: ast.AST) -> set[str]:
    return {ast.unparse(part.func) for part in ast.walk(node) if isinstance(part, ast.Call)}


@pytest.mark.parametrize(("paper", "exercise"), EXERCISES, ids=lambda value: getattr(value, "name", value))
class TestExercise:
    def test_the_solution_gets_full_marks(self, paper: KeptPaper, exercise: str):
        result = paper.run(exercise, paper.source(exercise))
        assert result.messages == ()
        assert result.points == result.possible > 0

    def test_an_empty_answer_gets_nothing(self, paper: KeptPaper, exercise: str):
        empty = released(ClearSolutions(), paper.source(exercise))
        assert "raise NotImplementedError" in empty
        result = paper.run(exercise, empty)
        assert result.points == 0
        assert all("not written yet" in message for message in result.messages)

    def test_no_answer_at_all_gets_nothing(self, paper: KeptPaper, exercise: str):
        result = paper.run(exercise, "")
        assert result.points == 0
        assert all("there is no" in message for message in result.messages)

    def test_there_are_visible_and_hidden_checks(self, paper: KeptPaper, exercise: str):
        sources = [cell.source for cell in paper.exercises()[exercise]]
        shown = [released(ClearHiddenTests(), source) for source in sources]
        assert any(text == source for text, source in zip(shown, sources, strict=True))
        assert any(text != source for text, source in zip(shown, sources, strict=True))
        assert all("hidden(" not in text for text in shown)

    def test_the_tests_lean_on_nothing_that_a_student_may_have_bound(self, paper: KeptPaper, exercise: str):
        answer = ast.parse(paper.source(exercise))
        functions = {node.name for node in answer.body if isinstance(node, ast.FunctionDef)}
        for cell in paper.exercises()[exercise]:
            assert free_names(cell.source) <= functions

    def test_the_tests_bind_nothing_that_an_answer_may_read(self, paper: KeptPaper, exercise: str):
        for cell in paper.exercises()[exercise]:
            for statement in ast.parse(cell.source).body:
                assert isinstance(statement, ast.FunctionDef | ast.Expr)
                assert getattr(statement, "name", None) in (None, "visible_checks", "hidden_checks")

    def test_whatever_can_fail_stands_inside_a_case(self, paper: KeptPaper, exercise: str):
        for cell in paper.exercises()[exercise]:
            function = ast.parse(cell.source).body[0]
            assert isinstance(function, ast.FunctionDef)
            assert calls_outside_cases(function.body) <= {"print", "range", "zip"}

    def test_staff_keep_four_wrong_and_two_right_answers(self, paper: KeptPaper, exercise: str):
        kept = [answer.kind for answer in paper.answers() if answer.exercise == exercise]
        assert kept.count("wrong") >= 4
        assert kept.count("right") >= 2


@pytest.mark.parametrize(
    ("paper", "answer"), ANSWERS, ids=lambda value: str(value) if isinstance(value, Answer) else value.name
)
def test_an_answer_gets_what_it_deserves(paper: KeptPaper, answer: Answer):
    result = paper.run(answer.exercise, answer.source)
    if answer.kind == "right":
        assert result.messages == ()
        assert result.points == result.possible
    else:
        assert result.points < result.possible
        assert any(answer.message in message for message in result.messages), result.messages
        assert all(message.startswith("CheckError: ") and "\n" not in message for message in result.messages)
