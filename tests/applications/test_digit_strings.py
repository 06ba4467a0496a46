import pytest
import torch

from course_lib.applications.digit_strings import (
    DIGITS,
    KINDS,
    LABELS,
    TOKENS,
    StringListener,
    build,
    load_string_model,
    nats,
    stack,
    string_batches,
    take_down,
)
from course_lib.data.spoken_digits import load_spoken_digits
from course_lib.data.spoken_strings import spoken_strings

STRINGS = spoken_strings(load_spoken_digits().test, 6, 2, 4, seed=0)


@pytest.fixture(params=KINDS)
def model(request):
    torch.manual_seed(0)
    return build(request.param, 8, 8).eval()


def test_both_models_are_told_the_same_digits():
    batch = stack(STRINGS)
    for string, labels, length, tokens in zip(
        STRINGS, batch.labels, batch.lengths, batch.tokens, strict=True
    ):
        said = [DIGITS[digit] for digit in string.digits]
        assert [LABELS[k] for k in labels[:length]] == said and not labels[length:].any()
        words = [TOKENS[k] for k in tokens]
        assert words[: length + 2] == ["<s>", *said, "</s>"] and set(words[length + 2 :]) <= {"<pad>"}


def test_what_stands_behind_the_end_of_a_sound_changes_nothing(model):
    batch = stack(STRINGS)
    loss = nats(model, batch)
    noisy = batch.heard._replace(frames=batch.heard.frames.clone())
    for frames, length in zip(noisy.frames, noisy.lengths, strict=True):
        frames[length:] = 5.0
    torch.testing.assert_close(nats(model, batch._replace(heard=noisy)), loss)


def test_the_loss_of_a_batch_is_the_mean_over_what_is_written(model):
    batch = stack(STRINGS)
    alone = [nats(model, stack([string])) for string in STRINGS]
    more = 0 if isinstance(model, StringListener) else 1  # the end is a token
    weights = batch.lengths + more
    torch.testing.assert_close(nats(model, batch), (torch.stack(alone) * weights).sum() / weights.sum())


def test_ctc_says_as_many_steps_as_a_fourth_of_the_frames():
    torch.manual_seed(0)
    batch = stack(STRINGS)
    said = build("ctc", 8, 8).eval()(batch.heard)
    assert said.lengths.tolist() == [length // 2 // 2 for length in batch.heard.lengths.tolist()]
    assert said.logits.shape[2] == len(LABELS) == 11


def test_every_string_comes_once_whatever_the_seed():
    for seed in (None, 0):
        lengths = [n for batch in string_batches(STRINGS, 4, seed) for n in batch.heard.lengths.tolist()]
        assert sorted(lengths) == sorted(stack(STRINGS).heard.lengths.tolist())


def test_what_is_taken_down_is_digits_up_to_the_limit():
    torch.manual_seed(0)
    model = build("attention", 8, 8).eval()
    with torch.no_grad():
        model.bias.zero_()[TOKENS.index("7")] = 100.0
    assert take_down(model, STRINGS[:1], limit=5) == [(7,) * 5]


def test_what_ctc_says_at_every_step_is_taken_down_once():
    torch.manual_seed(0)
    model = build("ctc", 8, 8).eval()
    with torch.no_grad():
        model.head.bias.zero_()[LABELS.index("7")] = 100.0
    assert take_down(model, STRINGS[:2]) == [(7,), (7,)]


def test_another_kind_is_refused():
    with pytest.raises(ValueError, match="kind is 'hmm'; allowed are 'ctc', 'attention'"):
        load_string_model("hmm")
