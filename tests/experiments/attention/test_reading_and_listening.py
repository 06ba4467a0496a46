"""What the experiments on handwriting and on spoken digits do, on a few examples."""

import pytest

from course_experiments.attention import digit_strings, handwriting
from course_experiments.attention.digit_strings import Job, clips, digit_error, new_strings
from course_lib.applications.digit_strings import KINDS, build, load_string_model, take_down
from course_lib.data.spoken_digits import load_spoken_digits


def test_no_recording_is_both_learnt_from_and_judged_by():
    used = [{clip.wave.tobytes() for clip in clips(held_out)} for held_out in (False, True)]
    tested = {clip.wave.tobytes() for clip in load_spoken_digits().test}
    assert not used[0] & used[1] and not (used[0] | used[1]) & tested
    assert [len(part) for part in used] == [540, 60]


def test_errors_are_counted_in_edits_a_digit(monkeypatch):
    strings = new_strings((3, 3), 2)
    first, second = (string.digits for string in strings)
    monkeypatch.setattr(digit_strings, "take_down", lambda *_: [first[:2], (*second, 1)])
    assert digit_error(build("ctc", 8, 8), strings) == pytest.approx(2 / 6)


@pytest.mark.parametrize("kind", KINDS)
def test_a_training_that_pauses_goes_on_and_leaves_a_model(kind, tmp_path, monkeypatch):
    monkeypatch.setattr(digit_strings, "STRINGS", 4)
    monkeypatch.setattr(digit_strings, "BATCH", 4)
    monkeypatch.setattr(digit_strings, "SIZES", {"embedding_size": 8, "hidden_size": 8})
    monkeypatch.setattr(digit_strings, "take_down", lambda _, strings: [(1,)] * len(strings))
    job = Job(kind, 3e-3, 0)
    assert not digit_strings.train_string_model(job, tmp_path, passes=2, minutes=0)
    assert not (tmp_path / "told.json").exists()
    assert digit_strings.train_string_model(job, tmp_path, passes=2)
    model = load_string_model(kind, tmp_path / f"digit_strings_{kind}.safetensors")
    assert len(take_down(model, new_strings((3, 3), 2), limit=4)) == 2


def test_at_the_start_the_blank_takes_over():
    looked = {step: (share, nats) for step, share, nats in handwriting.plateau((0, 12))}
    assert looked[0][0] < 50 < looked[12][0]
    assert looked[12][1] < looked[0][1]
