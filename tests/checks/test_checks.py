import math
import sys
import warnings
from typing import NamedTuple

import numpy as np
import pytest
import torch

from course_lib.attention import masked_softmax
from course_lib.checks import core as checks
from course_lib.checks.core import (
    CheckError,
    check_close,
    check_columns,
    check_dtype,
    check_gradient,
    check_parts,
    check_raises,
    check_shape,
    check_unchanged,
    check_weights,
    hidden,
    visible,
    waves,
)
from course_lib.checks.models import TableModel
from course_lib.decoding import reorder

KEEP = torch.tensor([[[True, True, False]], [[True, True, True]]])
GOOD = torch.tensor([[[0.25, 0.75, 0.0]], [[0.2, 0.3, 0.5]]])


def message_of(check, *arguments, **options):
    with pytest.raises(CheckError) as caught:
        check(*arguments, **options)
    return str(caught.value)


def run(code, case=visible, hint="", **names):
    """Run code as a test cell that calls the student's `answer`; return the message."""
    names["case"], names["hint"] = case, hint
    cell = f"with case('answer', 'in some case', hint):\n    {code}"
    with pytest.raises(CheckError) as caught:
        exec(cell, names)
    return str(caught.value)


# ---------------------------------------------------------------- what a case does with errors


def test_a_case_that_holds_says_nothing():
    with visible("answer", "in some case"):
        check_close(1.0, 1.0, "x")


def test_the_message_names_function_case_fact_and_cause():
    code = "raise CheckError('expected 1, got 2.', 'Count from 0.')"
    assert run(code, CheckError=CheckError) == "answer, in some case: expected 1, got 2. Count from 0."


def test_the_hint_stands_in_for_a_cause_that_nobody_knows():
    assert run("raise CheckError('a.')", CheckError=CheckError, hint="Perhaps b.").endswith("a. Perhaps b.")
    assert run("raise CheckError('a.', 'c.')", CheckError=CheckError, hint="Perhaps b.").endswith("a. c.")


def test_an_answer_that_is_missing_or_not_written_is_said_so():
    assert "there is no answer. Run the cell" in run("answer()")

    def answer():
        raise NotImplementedError

    assert "not written yet" in run("answer()", answer=answer)


def test_an_error_in_the_answer_is_placed_in_the_students_own_cell():
    names = {"visible": visible}
    answer = "import json\n\ndef answer(x):\n    y = 1\n    return json.loads(x)"
    exec(compile(answer, "<answer>", "exec"), names)
    with pytest.raises(CheckError, match="JSONDecodeError in line 5 of its cell: Expecting property name"):
        exec("with visible('answer', 'in some case'):\n\n    answer('{')", names)


def test_a_hidden_case_keeps_the_text_of_errors_to_itself():
    class Carrier(Exception):
        pass

    Carrier.__name__ = "secret_input_is_42"

    def answer(error):
        raise error

    assert "secret" not in run("answer(ValueError('secret'))", case=hidden, answer=answer)
    assert "raised ValueError in line" not in run(
        "answer(Carrier())", case=hidden, answer=answer, Carrier=Carrier
    )
    assert "secret" not in run("answer(Carrier())", case=hidden, answer=answer, Carrier=Carrier)
    assert "secret" in run("answer(ValueError('secret'))", case=visible, answer=answer)


@pytest.mark.parametrize("case", [visible, hidden])
def test_leaving_the_process_is_a_failed_check(case):
    assert "SystemExit" in run("answer(0)", case=case, answer=sys.exit)
    assert "a loop that does not end" in run("raise KeyboardInterrupt", case=case)


def test_jupyter_shows_the_message_alone_and_python_no_inner_error():
    try:
        with visible("answer", "in some case"):
            raise ValueError("x")
    except CheckError as error:
        assert " ".join(error._render_traceback_()) == f"CheckError: {error}"
        assert max(map(len, error._render_traceback_())) <= 90
        assert error.__suppress_context__


def test_nothing_that_the_answer_prints_or_warns_reaches_the_output(capsys):
    with visible("answer", "in some case"):
        print("loud")
        print("louder", file=sys.stderr)
        warnings.warn("loudest", stacklevel=1)
    assert capsys.readouterr() == ("", "")


# ---------------------------------------------------------------- own work, and tricks


# What a cell may turn, and how it stands in a fresh process.
SWITCHES = {
    "gradients": (torch.set_grad_enabled, False, True),
    "numpy's errors": (lambda what: np.seterr(**what), {"all": "raise"}, {"all": "warn", "under": "ignore"}),
    "default dtype": (torch.set_default_dtype, torch.float64, torch.float32),
    "default device": (torch.set_default_device, "meta", None),
    "autocast": (lambda on: torch.set_autocast_enabled("cpu", on), True, False),
    "anomalies": (torch.autograd.set_detect_anomaly, True, False),
    "warnings": (warnings.simplefilter, "error", "default"),
}


def right_answer():
    """Raises, or gives something else, where one of the switches is turned."""
    leaf = torch.ones(3, 3, requires_grad=True)
    assert leaf.dtype == torch.float32 and (leaf @ leaf).dtype == torch.float32
    (leaf * leaf).sum().backward()
    assert leaf.grad[0].tolist() == [2, 2, 2]
    assert np.log(np.zeros(2)).tolist() == [-np.inf, -np.inf]
    assert not torch.is_anomaly_enabled()
    warnings.warn("slow", stacklevel=1)


def fails(function):
    try:
        function()
    except Exception:
        return True
    return False


@pytest.mark.parametrize("name", SWITCHES)
def test_a_switch_that_a_cell_turned_costs_no_points_and_stays_turned(name):
    switch, turned, fresh = SWITCHES[name]
    with warnings.catch_warnings():
        switch(turned)
        try:
            for tried in (visible, hidden):
                with tried("answer", "in some case"):
                    right_answer()
            assert fails(right_answer)  # the switch is as the cell left it
        finally:
            switch(fresh)


def test_a_cell_that_entered_inference_mode_costs_no_points():
    with torch.inference_mode():
        with visible("answer", "in some case"):
            right_answer()
        assert torch.is_inference_mode_enabled()


def test_the_librarys_own_implementation_is_no_answer():
    scores, keep = torch.zeros(2), torch.tensor([True, False])
    message = run("answer(scores, keep)", answer=masked_softmax, scores=scores, keep=keep)
    assert "your answer calls course_lib.attention.masks.masked_softmax" in message


def test_catching_the_refusal_does_not_help():
    def answer():
        try:
            return masked_softmax(torch.zeros(1), torch.tensor([True]))
        except BaseException:
            return torch.ones(1)

    assert "your answer calls course_lib.attention" in run("answer()", answer=answer)


@pytest.mark.parametrize(
    ("owner", "name"),
    [
        (torch, "allclose"),
        (np, "allclose"),
        (math, "isclose"),
        (torch.Tensor, "tolist"),
        (torch.Tensor, "__eq__"),
    ],
)
def test_a_replaced_judge_is_noticed(monkeypatch, owner, name):
    monkeypatch.setattr(owner, name, lambda *a, **k: True)
    assert f"{owner.__name__}.{name} is not what it was" in run("pass")


def test_a_judge_replaced_while_the_answer_runs_is_noticed(monkeypatch):
    def answer():
        monkeypatch.setattr(torch, "equal", lambda *a: True)

    assert "torch.equal is not what it was" in run("answer()", answer=answer)


def test_the_checks_cannot_be_assigned_to():
    with pytest.raises(AttributeError, match="check_close cannot be replaced"):
        checks.check_close = lambda *a, **k: None


def test_a_check_replaced_behind_the_modules_back_is_noticed(monkeypatch):
    monkeypatch.setitem(vars(checks), "check_close", lambda *a, **k: None)
    assert "check_close is not what it was" in run("pass")


def test_an_object_that_equals_everything_is_no_number():
    class Yes:
        def __eq__(self, other):
            return True

        def __sub__(self, other):
            return 0

    class YesTensor(torch.Tensor):
        def tolist(self):
            return [1.0]

    class YesFloat(float):
        def __sub__(self, other):
            return 0.0

    for lie in (Yes(), [Yes()], YesFloat(3.0), torch.zeros(1).as_subclass(YesTensor)):
        assert "expected numbers, got" in message_of(check_close, lie, [1.0], "x")
    assert "expected a torch tensor" in message_of(
        check_shape, torch.zeros(1).as_subclass(YesTensor), batch=1
    )


# ---------------------------------------------------------------- the checks


def test_close_accepts_any_container_of_equal_numbers():
    for got in ([1, 2.0], (1, 2), np.array([1, 2]), torch.tensor([1.0, 2.0]), [np.float64(1), np.int64(2)]):
        check_close(got, [1.0, 2.0], "x")
    check_close(1.0 + 1e-8, 1.0, "x")
    check_close([math.inf, "a", True], [math.inf, "a", True], "x")
    check_close(torch.ones(2, requires_grad=True), [1, 1], "x")


@pytest.mark.parametrize(
    ("got", "expected"),
    [
        (1.001, 1.0),
        (math.nan, 1.0),
        (math.inf, 1.0),
        (-math.inf, math.inf),
        (True, 1.0),
        ([1.0], 1.0),
        ([1.0, 2.0], [1.0]),
        ([], [1.0]),
        ("1", 1),
        ([[1.0], [2.0]], [[1.0], [3.0]]),
    ],
)
def test_close_refuses_what_differs(got, expected):
    message_of(check_close, got, expected, "x")


def test_close_says_where_what_and_why():
    suspects = {"Doubled.": [[2.0, 4.0]], "Halved.": [[0.5, 1.0]]}
    message = message_of(check_close, [[0.5, 1.0]], [[1.0, 2.0]], "α", suspects, axes=("batch", "source"))
    assert message == "α[batch 0, source 0] should be 1, got 0.5. Halved."
    assert message_of(check_close, 3.0, 1.0, "x", {"Doubled.": 2.0}) == "x should be 1, got 3."


def test_a_missing_return_is_named():
    assert "None (is a `return` missing?)" in message_of(check_close, None, 1.0, "x")
    assert "None (is a `return` missing?)" in message_of(check_shape, None, batch=1)


def test_shape():
    check_shape(torch.zeros(2, 3), batch=2, source=3)
    message = message_of(check_shape, torch.zeros(3, 2), batch=2, source=3)
    assert (
        message.startswith("expected shape (batch 2, source 3), got (3, 2).")
        and "two axes are swapped" in message
    )
    assert "swapped" not in message_of(check_shape, torch.zeros(2), batch=2, source=3)


def test_dtype():
    check_dtype(torch.zeros(1).half(), torch.float16)
    assert "got torch.float32" in message_of(check_dtype, torch.zeros(1), torch.float16)


def test_right_weights_pass():
    check_weights(GOOD, KEEP)
    check_weights(torch.zeros(1, 2, 3), torch.zeros(1, 1, 3, dtype=torch.bool))
    check_weights(GOOD.half(), KEEP)


NAN = GOOD.clone()
NAN[0] = math.nan


@pytest.mark.parametrize(
    ("weights", "keep", "phrase"),
    [
        (
            waves(2, 3, 4).softmax(0),
            torch.ones(2, 1, 4) > 0,
            "sum to 1 over the batch axis; they should sum to 1 over",
        ),
        (waves(2, 3, 4).softmax(1), torch.ones(2, 1, 4) > 0, "sum to 1 over the target axis; they should"),
        (torch.tensor([[[0.2, 0.3, 0.5]]]), KEEP[:1], "The mask did not reach the softmax"),
        (torch.tensor([[[0.2, 0.3, 0.0]]]), KEEP[:1], "Masking after the softmax takes weight away"),
        (torch.tensor([[[0.0, 0.0, 1.0]]]), KEEP[:1], "True means keep"),
        (torch.tensor([[[0.5, 0.5, 0.0]]]), KEEP[:1] & False, "a masked position has weight 0.5"),
        (NAN, KEEP & (torch.arange(2) > 0).view(2, 1, 1), "A softmax over nothing but -inf is 0 / 0"),
        (NAN, KEEP, "some weights are NaN or infinite"),
    ],
)
def test_wrong_weights_get_the_misconception_named(weights, keep, phrase):
    assert phrase in message_of(check_weights, weights, keep)


def test_a_softmax_over_the_batch_shows_at_batch_size_one():
    weights = torch.zeros(1, 2, 3).softmax(dim=0)
    assert "sum to 1 over the batch axis" in message_of(check_weights, weights, torch.ones(1, 1, 3) > 0)


def test_unchanged():
    before = torch.tensor([1.0])
    check_unchanged(torch.tensor([1.0]), before, "scores")
    assert "changed the caller's scores" in message_of(
        check_unchanged, torch.tensor([1.0 + 1e-7]), before, "scores"
    )


def test_gradient():
    leaf = torch.ones(2, requires_grad=True)
    assert "no gradient reaches h" in message_of(check_gradient, leaf, "h")
    leaf.grad = torch.tensor([1.0, math.nan])
    assert "the gradient of h is NaN" in message_of(check_gradient, leaf, "h")
    leaf.grad = torch.zeros(2)
    check_gradient(leaf, "h")


def test_columns():
    assert check_columns([(1, "a"), [2, "b"]], "number", "letter") == [[1, 2], ["a", "b"]]
    assert check_columns([], "number", "letter") == [[], []]
    assert "expected a list of (number, letter), got tuple" in message_of(
        check_columns, (1, 2), "number", "letter"
    )
    assert "a tuple (number, letter), got int" in message_of(check_columns, [1], "number", "letter")
    assert "got 1 of them" in message_of(check_columns, [(1,)], "number", "letter")


def test_parts_of_a_tuple_a_list_or_a_tuple_with_names():
    assert check_parts((1, "b"), "number", "letter") == (1, "b")
    assert check_parts([1, "b"], "number", "letter") == (1, "b")
    assert check_parts(Named(1, "b"), "number", "letter") == (1, "b")


def test_other_parts_are_named():
    for got, words in (
        (None, "got None (is a `return` missing?)"),
        (1.5, "got float"),
        ((1, 2, 3), "got 3 of them"),
        (torch.ones(2), "got torch.Tensor"),
    ):
        message = message_of(check_parts, got, "number", "letter")
        assert message == f"expected a tuple (number, letter), {words}."


class Named(NamedTuple):
    number: int
    letter: str


class Forged(tuple):
    def __iter__(self):
        return iter((1, "b"))

    def __len__(self):
        return 2

    def __eq__(self, other):
        return True


def test_a_tuple_is_read_as_it_is_stored():
    assert check_parts(Forged((3, 4)), "number", "letter") == (3, 4)
    assert "should be 1, got 3" in message_of(check_close, Forged((3, 4)), (1, 4), "the pair")
    assert "got 3 of them" in message_of(check_parts, Forged((3, 4, 5)), "number", "letter")


def test_a_tuple_with_names_is_a_tuple():
    check_close([Named(1, "b")], [(1, "b")], "the pairs")


def test_nan_may_be_what_a_misconception_leads_to():
    nan = float("nan")
    message = message_of(check_close, [nan], [0.0], "y", suspects={"0 / 0 is NaN.": [nan]})
    assert message == "y[0] should be 0, got nan. 0 / 0 is NaN."


def test_raises():
    check_raises(ValueError, int, "x")
    assert "expected a ValueError" in message_of(check_raises, ValueError, int, "1")


# ---------------------------------------------------------------- the toy model


def test_a_table_model_looks_two_tokens_back_and_keeps_sentences_apart():
    first, second = (waves(3, 3, 3, start=start).softmax(dim=-1) for start in (0.0, 1.0))
    model = TableModel([first, second], bos=0)
    _, state = model.step(torch.tensor([0, 0]), model.start())
    log_probs, state = model.step(torch.tensor([1, 2]), state)
    torch.testing.assert_close(log_probs.exp(), torch.stack([first[0, 1], second[0, 2]]))
    log_probs, _ = model.step(torch.tensor([2, 1]), reorder(state, torch.tensor([1, 0])))
    torch.testing.assert_close(log_probs.exp(), torch.stack([second[2, 2], first[1, 1]]))


def test_all_hypotheses_and_what_is_unfinished_share_the_probability():
    table = torch.tensor([[0.0, 0.5, 0.25, 0.25]] * 4)  # every step ends with 0.5
    totals = [total for _, total in TableModel(table, bos=0).all_hypotheses(eos=1, max_length=4)]
    assert math.isclose(sum(map(math.exp, totals)), 1 - 0.5**4)


def test_a_model_refuses_a_state_that_does_not_fit():
    model = TableModel(torch.full((3, 3), 1 / 3), bos=0)
    assert "2 tokens, but a state of 1 rows" in message_of(model.step, torch.tensor([0, 1]), model.start())
    assert "int64 tensor of shape (rows,)" in message_of(model.step, torch.tensor(0), model.start())
    assert "int64 tensor of shape (rows,)" in message_of(model.step, torch.tensor([0.0]), model.start())
