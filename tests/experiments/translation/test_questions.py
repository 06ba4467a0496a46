"""What the comparison of questions counts, on batches and models that are known."""

import json
from itertools import islice

import pytest
import torch

from course_experiments.protocol import Budget
from course_experiments.translation import questions
from course_experiments.translation.questions import ASKS, train, words_wrong
from course_lib.data.spoken_numbers import SYMBOLS, number_batch, number_batches
from course_lib.seq2seq import DECODERS, EncoderDecoder


def test_wrong_words_are_counted_without_the_padding():
    batch = number_batch(["23", "4728"])  # 3 words and 6, and the end of each
    always_the_end = EncoderDecoder("cho", len(SYMBOLS), 8, 8)
    with torch.no_grad():
        always_the_end.bias[SYMBOLS.index("</s>")] = 1000
    assert words_wrong(always_the_end, [batch]) == pytest.approx(100 * 9 / 11)


def test_a_little_training_helps_and_every_decoder_can_be_trained():
    others = list(islice(number_batches(32, 2, 99), 4))
    for decoder in ASKS:
        assert decoder in DECODERS
    torch.manual_seed(0)
    model = EncoderDecoder("bahdanau_fixed", len(SYMBOLS), 8, 8)
    before = words_wrong(model, others)
    assert words_wrong(train(model, number_batches(32, 2, 0), 60), others) < before - 10


def test_what_was_told_is_not_measured_again_and_a_pause_keeps_it(tmp_path, monkeypatch):
    monkeypatch.setattr(questions, "measure", lambda decoder, seed: float(len(decoder) + seed))
    assert questions.run(Budget(tmp_path, minutes=0)).paused
    (tmp_path / "runs.json").write_text(json.dumps({"cho 0": 30.0}))
    found = {measured.id: measured for measured in questions.run(Budget(tmp_path)).measurements}
    assert found["questions-cho-wrong"].value == pytest.approx((30 + 4 + 5) / 3)
    assert (
        found["questions-bahdanau-fixed-wrong"].value,
        found["questions-bahdanau-fixed-wrong"].spread,
    ) == (15, 1)
    assert len(found) == 5
