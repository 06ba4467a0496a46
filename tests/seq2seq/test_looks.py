import pytest
import torch
from torch.nn import functional

from course_lib.attention import DotAttention, GeneralAttention, HardAttention, LocalMonotonicAttention
from course_lib.seq2seq import EncoderDecoder
from course_lib.seq2seq.looks import look_with

SOURCE = torch.tensor([[3, 4, 5, 6], [7, 3, 0, 0]])
TARGET = torch.tensor([[1, 4, 8, 5, 2], [1, 6, 2, 0, 0]])


@pytest.fixture
def model():
    torch.manual_seed(0)
    return EncoderDecoder("luong_general", vocabulary_size=9, embedding_size=4, hidden_size=6).eval()


def test_with_its_own_attention_the_model_is_what_it_was(model):
    attention = model.decoder.attention
    looked = look_with(model, lambda s, h, keep, step: attention(s, h, keep), SOURCE, TARGET)
    logits, weights = model(SOURCE, TARGET[:, :-1])
    losses = functional.cross_entropy(logits.transpose(1, 2), TARGET[:, 1:], reduction="none")
    torch.testing.assert_close(looked.weights, weights)
    torch.testing.assert_close(looked.losses, losses * (TARGET[:, 1:] != 0))
    assert looked.log_probabilities is None


def test_the_look_is_told_the_step(model):
    local = LocalMonotonicAttention(DotAttention(), half_width=1.0)
    looked = look_with(model, local, SOURCE, TARGET)
    places = torch.arange(4)
    for step in range(4):
        assert torch.equal(looked.weights[0, step] > 0, (places - step).abs() <= 1)


def test_a_draw_leaves_its_log_probability_and_none_at_padding(model):
    hard, generator = HardAttention(GeneralAttention(6, 6)), torch.Generator().manual_seed(0)
    looked = look_with(model, lambda s, h, keep, step: hard(s, h, keep, generator), SOURCE, TARGET)
    assert torch.equal(looked.log_probabilities < 0, TARGET[:, 1:] != 0)
    (-looked.log_probabilities.sum()).backward()
    assert hard.attention.W.weight.grad.abs().sum() > 0


def test_only_luongs_decoders_take_another_look():
    model = EncoderDecoder("bahdanau", 9, 4, 6)
    with pytest.raises(ValueError, match="BahdanauDecoder; allowed is a LuongDecoder"):
        look_with(model, lambda *_: None, SOURCE, TARGET)


def test_the_mean_counts_tokens_and_no_padding(model):
    attention = model.decoder.attention
    look = lambda s, h, keep, step: attention(s, h, keep)  # noqa: E731
    looked = look_with(model, look, SOURCE, TARGET)
    alone = [
        functional.cross_entropy(
            model(source[source > 0][None], target[:-1][None])[0][0], target[1:], reduction="sum"
        )
        for source, row in zip(SOURCE, TARGET, strict=True)
        for target in [row[row > 0]]
    ]
    assert looked.mean() == pytest.approx(float(sum(alone).detach()) / 6)  # 4 tokens and 2
