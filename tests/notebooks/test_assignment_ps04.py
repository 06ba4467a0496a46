"""What a student of the attention paper reads when a check fails."""

from assignment import read, run_with_answer


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
