"""What a student of the attention paper reads when a check fails."""

import pytest
from assignment import read, run_with_answer

from course_lib.checks.core import waves


@pytest.mark.usefixtures("warm_kernels")
def test_a_failed_check_shows_its_message_and_nothing_of_the_hidden_test(tmp_path):
    answer = "def masked_softmax(scores, keep):\n    return scores.softmax(dim=0)"
    outputs = run_with_answer(read("ps04_attention"), "ps04-masked-softmax", answer, tmp_path)
    message = (
        "masked_softmax, when nothing is masked: "
        "your weights sum to 1 over the batch axis; they should sum to 1 over the source axis."
    )
    [shown] = outputs["ps04-masked-softmax-visible"]
    assert shown.evalue == message
    assert " ".join(shown.traceback) == f"CheckError: {message}"
    [shown] = outputs["ps04-masked-softmax-hidden"]
    assert " ".join(shown.traceback) == f"CheckError: {shown.evalue}"
    assert "\n" not in shown.evalue


@pytest.mark.usefixtures("warm_kernels")
def test_an_answer_that_computes_with_a_check_is_told_apart_from_the_test_that_does(tmp_path):
    checks = waves.__module__
    body = "def masked_softmax(scores, keep):\n    return checks.waves(*scores.shape)"
    answer = f"import {checks} as checks\n\n{body}"
    outputs = run_with_answer(read("ps04_attention"), "ps04-masked-softmax", answer, tmp_path)
    for test in ("visible", "hidden"):
        [shown] = outputs[f"ps04-masked-softmax-{test}"]
        assert f"your answer calls {checks}.waves. The exercise asks for your own code." in shown.evalue
