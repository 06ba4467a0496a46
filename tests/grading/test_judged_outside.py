"""Answers that run in the sandbox get the points and messages that they get in the process of their tests."""

import pytest
from harness import papers
from kept_answers import Answer
from mini_paper import need_sandbox
from nbformat.v4 import new_code_cell, new_notebook

from course_tools.grading.execution import Times, execute
from course_tools.grading.judge import Judge, is_error
from course_tools.sandbox.outside import Answers
from course_tools.sandbox.walls import Bubblewrap, Limits

SECONDS = 120
RANDOM = "ps02-draw/wrong_own_chance"  # its message holds what it happened to draw


@pytest.fixture(scope="module")
def answers():
    need_sandbox()
    held = Answers(Bubblewrap(), Limits())
    yield held
    held.end()


def judged_outside(paper, judge, answer, answers):
    """Return the points of an answer and the messages of its tests, as `SolvedPaper.run` does inside.

    After that the notebook is as it was before the answer.
    """
    points, messages, scene = 0, [], answers.level
    answers.run(answer.source, answer.exercise, SECONDS)
    for test in paper.exercises()[answer.exercise]:
        failed = [*filter(is_error, judge.judge(test, answers, SECONDS))]
        if failed:
            failed = [*filter(is_error, judge.judge(test, answers, SECONDS, in_sight=True))] or failed
        messages += [f"{output['ename']}: {output['evalue']}" for output in failed]
        points += 0 if failed else test.metadata.nbgrader.points
    assert not answers.link.notes, answer
    answers.go_back(scene)
    return points, tuple(messages)


def check_same(paper, kept, answers):
    judge = Judge(paper.notebook)
    with answers.submission(judge.allowed, SECONDS * len(kept)):
        for cell in paper.notebook.cells:
            mark = cell.metadata.get("nbgrader", {})
            if cell.cell_type == "code" and mark.get("locked") and not mark.get("grade"):
                answers.run(cell.source, mark["grade_id"], SECONDS)
        for answer in kept:
            if str(answer) != RANDOM:
                inside = paper.run(answer.exercise, answer.source)
                outside = judged_outside(paper, judge, answer, answers)
                assert outside == (inside.points, inside.messages), answer


def solutions(paper):
    return [Answer(name, "right", "solution", "", "", paper.source(name)) for name in paper.exercises()]


@pytest.mark.parametrize("paper", papers(), ids=lambda paper: paper.name)
def test_the_solution_and_a_wrong_answer_to_each_exercise(paper, answers):
    wrong = {answer.exercise: answer for answer in paper.answers() if answer.kind == "wrong"}
    check_same(paper, [*solutions(paper), *wrong.values()], answers)


def test_what_an_answer_changes_is_changed_for_no_other_test_and_no_other_student(answers):
    scene, uses, expects = (
        new_code_cell(source) for source in ("numbers = [1, 2]", "last(numbers)", "assert numbers == [1, 2]")
    )
    for cell in (scene, uses, expects):
        mark = {"grade_id": cell.source, "locked": True, "grade": cell is not scene, "points": 2}
        cell.metadata["nbgrader"] = mark
    judge = Judge(new_notebook(cells=[scene, uses, expects]))
    for student in ("ann", "bob"):
        with answers.submission(judge.allowed, SECONDS):
            answers.run("def last(given): return given.pop()", student, SECONDS)
            [points] = judge.judge(uses, answers, SECONDS)
            assert points["data"] == {"text/plain": "2"}
            assert judge.judge(expects, answers, SECONDS) == []


@pytest.mark.parametrize(("factors", "errors"), [((2, 5), 0), ((5, 2), 1)], ids=["spoilt", "mended"])
def test_a_test_sees_the_notebook_as_it_is_where_it_stands(answers, factors, errors):
    first, later = (new_code_cell(f"def scale(number): return {factor} * number") for factor in factors)
    test = new_code_cell("assert scale(3) == 6")
    test.metadata["nbgrader"] = {"grade_id": "test", "locked": True, "grade": True, "points": 1}
    notebook = new_notebook(cells=[first, test, later])
    executed = execute(notebook, Judge(notebook), answers, Times())
    assert len(executed.notebook.cells[1].outputs) == errors


def test_what_an_answer_raises_carries_no_hidden_input_out(answers):
    test = new_code_cell("say('seen')\n### BEGIN HIDDEN TESTS\nsay('unseen')\n### END HIDDEN TESTS")
    test.metadata["nbgrader"] = {"grade_id": "test", "locked": True, "grade": True, "points": 1}
    judge = Judge(new_notebook(cells=[test]))
    for word in ("seen", "unseen"):
        with answers.submission(judge.allowed, SECONDS):
            raises = f"def say(word):\n    if word == {word!r}: raise ValueError('the input was ' + word)"
            answers.run(raises, "say", SECONDS)
            [error] = judge.judge(test, answers, SECONDS)
            assert error["ename"] == "ValueError" and "the input was" not in str(error)
            told = judge.judge(test, answers, SECONDS, in_sight=True)
            assert ("the input was seen" in str(told)) == (word == "seen")


SECRET = "a word of a hidden test"
KEPT = {
    "in a file, to return it": (
        "def first(): return open('/dev/shm/kept').read()",
        "def last(word): open('/dev/shm/kept', 'w').write(word)",
    ),
    "in a pipe, to raise it": (
        "import os\nread, write = os.pipe()\nos.set_blocking(read, False)\n"
        "def first(): raise ValueError(os.read(read, 99).decode())",
        "def last(word): os.write(write, word.encode())",
    ),
    "as a type's name": ("def first(): return 0", "def last(word): raise type(word, (Exception,), {})"),
}


@pytest.mark.parametrize("way", KEPT)
def test_hidden_input_that_an_answer_keeps_is_told_by_no_test(answers, way):
    first, last = map(new_code_cell, KEPT[way])
    tests = [
        new_code_cell("print(first())"),
        new_code_cell("assert first() == 1, f'that is {first()}'"),
        new_code_cell(f"### BEGIN HIDDEN TESTS\nassert last({SECRET!r}) == 1\n### END HIDDEN TESTS"),
    ]
    for number, test in enumerate(tests):
        test.metadata["nbgrader"] = {"grade_id": f"test-{number}", "locked": True, "grade": True, "points": 1}
    notebook = new_notebook(cells=[first, *tests[:2], last, tests[2]])
    executed = execute(notebook, Judge(notebook), answers, Times())
    outputs = [cell.outputs for cell in executed.notebook.cells]
    assert [*map(is_error, outputs[2] + outputs[4])] == [True, True]
    assert SECRET not in str(outputs)


def test_what_an_answer_raises_where_students_see_it_is_told(answers):
    notebook = new_notebook(cells=[*map(new_code_cell, ("def f(): raise ValueError('mine')", "f()"))])
    notebook.cells[1].metadata["nbgrader"] = {"grade_id": "test", "locked": True, "grade": True, "points": 1}
    executed = execute(notebook, Judge(notebook), answers, Times())
    assert "ValueError: mine" in str(executed.notebook.cells[1].outputs)


@pytest.mark.slow
@pytest.mark.parametrize("paper", papers(), ids=lambda paper: paper.name)
def test_all_answers_that_staff_keep(paper, answers):
    check_same(paper, paper.answers(), answers)
