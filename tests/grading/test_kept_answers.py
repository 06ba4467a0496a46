import pytest
from kept_answers import read_answers

WRONG = """# %% wrong: no penalty
# Nothing is punished.
# Message: β has no influence


# the student's own comment
def ridge(x):
    return x
"""
RIGHT = """# %% right: loops 2
# Written with loops.


def ridge(x):
    return x + 1
"""


def read(folder, text, name="ps02-readout.py"):
    (folder / name).parent.mkdir(exist_ok=True)
    (folder / name).write_text(text)
    return read_answers(folder, ["ps02-readout", "ps02-bits"])


def test_the_answers_of_an_exercise(tmp_path):
    wrong, right = read(tmp_path, WRONG + "\n\n" + RIGHT)
    assert str(wrong) == "ps02-readout/wrong_no_penalty" and str(right) == "ps02-readout/right_loops_2"
    assert (wrong.exercise, wrong.kind, wrong.name) == ("ps02-readout", "wrong", "no penalty")
    assert (wrong.note, wrong.message) == ("Nothing is punished.", "β has no influence")
    assert wrong.source == "# the student's own comment\ndef ridge(x):\n    return x"
    assert (right.note, right.message) == ("Written with loops.", "")
    assert right.source == "def ridge(x):\n    return x + 1"


REFUSED = {
    "code before the first marker": ("x = 1\n" + WRONG, 1, "starts with `# %% right: <name>` or"),
    "no marker at all": ("x = 1\n", 1, "starts with `# %% right: <name>` or"),
    "a marker of another kind": (
        RIGHT + "# %% nearly: right\n",
        7,
        "'# %% nearly: right' marks no answer",
    ),
    "a marker without a name": (RIGHT + "# %% wrong:\n", 7, "marks no answer; allowed is"),
    "a name that is no test id": (RIGHT + "# %% wrong: a/b\n", 7, "in letters, digits and single spaces"),
    "the same name again": (RIGHT + WRONG + RIGHT, 15, "a right 'loops 2' already; a name comes once"),
    "no misconception": (
        WRONG.replace("# Nothing is punished.\n", ""),
        1,
        "should say what the answer does",
    ),
    "no message": (
        RIGHT + WRONG.replace("# Message: β has no influence\n", ""),
        7,
        "should be '# Message: ' and what the student must read",
    ),
    "an empty message": (WRONG.replace("β has no influence", ""), 1, "what the student must read"),
    "a message for a right answer": (
        RIGHT.replace("loops.\n", "loops.\n# Message: Well done\n"),
        1,
        "a right answer has full marks and no '# Message: '",
    ),
    "no code": (RIGHT + WRONG.partition("\n\n")[0], 7, "the answer is empty"),
    "only comments for code": (WRONG.partition("def")[0] + "\n" + RIGHT, 1, "the answer is empty"),
}


@pytest.mark.parametrize(("text", "line", "what"), REFUSED.values(), ids=REFUSED)
def test_what_is_no_answer_is_refused_with_file_and_line(tmp_path, text, line, what):
    with pytest.raises(ValueError) as caught:
        read(tmp_path, text)
    assert f"{tmp_path / 'ps02-readout.py'}, line {line}: " in str(caught.value)
    assert what in str(caught.value)


@pytest.mark.parametrize("name", ["ps02-bit.py", "ps02-readout/wrong_no_penalty.py"])
def test_a_file_of_no_exercise_is_refused(tmp_path, name):
    with pytest.raises(ValueError, match=r"no such exercise; allowed are ps02-readout\.py, ps02-bits\.py"):
        read(tmp_path, WRONG, name)
