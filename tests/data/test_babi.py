import re

import pytest

from course_lib.data.babi import TASKS, load_babi, read_stories
from course_lib.data.packaged import DATA_FOLDER

WRITTEN = (
    "1 Mary went out.\n2 Bob sat.\n3 Who sat? \tBob\t2\n4 Bob stood.\n5 Who stood? \tBob\t4\n"
    "1 New.\n2 What? \tthis\t1\n"
)


def test_stories_are_read_as_written_by_hand():
    first, second, third = read_stories(WRITTEN)
    assert first.story == ("Mary went out.", "Bob sat.") and first.supporting == (1,)
    assert second.story == ("Mary went out.", "Bob sat.", "Bob stood.") and second.supporting == (2,)
    assert third.story == ("New.",) and (third.question, third.answer) == ("What?", "this")


@pytest.mark.parametrize("task", [1, 2, 20])
def test_each_task_has_a_thousand_questions_a_split(task):
    data = load_babi(task)
    assert len(data.train) == len(data.test) == 1000


def test_the_answer_of_task_one_is_the_last_place_named_with_the_person():
    for question in load_babi(1).test:
        person = re.search(r"Where is (\w+)", question.question)[1]
        last = max(i for i, sentence in enumerate(question.story) if sentence.startswith(person))
        assert question.supporting == (last,)
        assert question.story[last].endswith(f"{question.answer}.")


@pytest.mark.parametrize("task", [0, 21])
def test_an_unknown_task_is_refused(task):
    with pytest.raises(ValueError, match=rf"task is {task}; allowed are 1 to {TASKS[-1]}"):
        load_babi(task)


def test_the_attribution_is_that_of_the_data_folder():
    data = load_babi(1)
    readme = (DATA_FOLDER / "babi_v1.1" / "README.md").read_text(encoding="utf8")
    assert data.attribution in readme and data.licence in readme
