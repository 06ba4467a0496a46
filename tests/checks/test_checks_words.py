"""What the checks of the paper on words add: libraries that may not be borrowed, and suspects on demand."""

import numpy as np
import pytest
import sacrebleu
import torch

from course_lib.checks import words as checks_words
from course_lib.checks.core import CheckError, check_close
from course_lib.checks.words import Suspects, check_arrays_unchanged, hidden, visible
from course_lib.text import bpe
from course_lib.words.windows import skip_gram_pairs


def slope():
    x = torch.ones(1, requires_grad=True)
    (2 * x).sum().backward()
    return x.grad


BORROWED = {
    "course_lib.text": lambda: bpe.merge(["a", "b"], ("a", "b")),
    "course_lib.words.windows": lambda: skip_gram_pairs(["a", "b"], 1),
    "sacrebleu": lambda: sacrebleu.sentence_bleu("a b", ["a b"]),
    "torch's backward": slope,
    "torch's grad": lambda: torch.autograd.grad(torch.ones(1, requires_grad=True).sum(), []),
}


@pytest.mark.parametrize("name", BORROWED)
@pytest.mark.parametrize("case", [visible, hidden])
def test_an_answer_that_borrows_is_refused(name, case):
    with (
        pytest.raises(CheckError, match=f"answer, a case: your answer calls {name}"),
        case("answer", "a case"),
    ):
        BORROWED[name]()


def test_the_word_for_it_comes_even_where_the_library_fails():
    with pytest.raises(CheckError, match=r"your answer calls course_lib\.words"), visible("answer", "a case"):
        skip_gram_pairs(["a"], 0)


def test_what_torch_and_numpy_compute_is_free():
    with visible("answer", "a case"), torch.no_grad():
        torch.ones(2).softmax(dim=0)
        np.add.at(np.zeros(2), [0, 0], 1.0)


def test_the_line_of_the_students_cell_is_named():
    answer = compile("def answer():\n    x = 1\n    return x / 0\n", "<cell>", "exec")
    test = compile("with visible('answer', 'a case'):\n    answer()\n", "<test>", "exec")
    names = {"__name__": "__main__", "visible": visible}
    exec(answer, names)
    with pytest.raises(CheckError, match="ZeroDivisionError in line 3 of its cell"):
        exec(test, names)


def test_suspects_are_worked_out_only_where_a_check_fails():
    asked = []

    def result(mistake):
        asked.append(mistake)
        return {"double": 2, "triple": 3}[mistake]

    suspects = Suspects({"double": "You doubled it.", "triple": "You tripled it."}, result)
    check_close(1, 1, "the number", suspects=suspects)
    assert asked == []
    with pytest.raises(CheckError, match=r"the number should be 1, got 3\. You tripled it"):
        check_close(3, 1, "the number", suspects=suspects)
    assert len(suspects) == 2


def test_a_changed_array_is_named():
    array = np.ones(2)
    before = array.copy()
    check_arrays_unchanged([array], [before], ["v"])
    array[0] = 0
    with pytest.raises(CheckError, match="your function changed the caller's v"):
        check_arrays_unchanged([array], [before], ["v"])


def test_the_checks_cannot_be_replaced():
    with pytest.raises(AttributeError, match="cannot be replaced"):
        checks_words.visible = None
