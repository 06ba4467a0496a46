import pytest

from course_lib.checks import transformer as checks_transformer
from course_lib.checks.core import CheckError
from course_lib.checks.transformer import check_pair


def test_a_pair_comes_back_as_it_is():
    assert check_pair((1, "b"), "context", "weights") == (1, "b")


@pytest.mark.parametrize(
    ("got", "words"),
    [
        (None, "got None. Is a `return` missing?"),
        ([1, 2], "got one list"),
        ((1, 2, 3), "got a tuple of 3"),
        (1.5, "got one float"),
    ],
)
def test_anything_else_is_named(got, words):
    with pytest.raises(CheckError) as failure:
        check_pair(got, "context", "weights")
    assert str(failure.value) == f"expected a tuple (context, weights), {words}" + (
        "" if "." in words else "."
    )


def test_a_tuple_of_the_students_own_kind_is_refused():
    class Pair(tuple):
        def __iter__(self):
            return iter((0, 0))

    with pytest.raises(CheckError, match="got one Pair"):
        check_pair(Pair((1, 2)), "context", "weights")


def test_the_check_cannot_be_replaced():
    with pytest.raises(AttributeError, match="cannot be replaced"):
        checks_transformer.check_pair = lambda got, first, second: got
