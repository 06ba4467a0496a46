import pytest

from course_lib.metrics.edits import error_rate


def test_edits_are_counted_over_all_texts_and_divided_by_what_is_true():
    assert error_rate(["abd", "", "xyz"], ["abc", "abcd", "xyz"]) == pytest.approx((1 + 4 + 0) / 10)
    assert error_rate(["aaaa"], ["a"]) == 3  # more than all of it can be wrong
    assert error_rate([("1", "2"), ("3",)], [("1", "2"), ("4",)]) == pytest.approx(1 / 3)


@pytest.mark.parametrize("texts", [(["a"], ["a", "b"]), ([], []), (["a"], [""])])
def test_texts_without_a_partner_or_without_symbols_are_refused(texts):
    with pytest.raises(ValueError, match="allowed are as many, with at least one symbol"):
        error_rate(*texts)
