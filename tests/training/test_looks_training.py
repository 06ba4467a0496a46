import pytest
import torch

from course_lib.attention import GeneralAttention, HardAttention, LocationAttention
from course_lib.data.batches import Batch
from course_lib.seq2seq import EncoderDecoder
from course_lib.training.looks import fit_look, mean_loss


@pytest.fixture
def model():
    torch.manual_seed(0)
    return EncoderDecoder("luong_dot", vocabulary_size=9, embedding_size=8, hidden_size=8).eval()


@pytest.fixture
def batches():
    """Copy the source, word by word."""
    torch.manual_seed(1)
    sources = torch.randint(3, 9, (40, 6, 5))
    begin = torch.ones(6, 1, dtype=torch.long)
    return [Batch(source, torch.cat([begin, source], dim=1)) for source in sources]


def test_only_the_look_learns(model, batches):
    before = {name: weight.clone() for name, weight in model.state_dict().items()}
    attention = LocationAttention(8, 5)

    def look(query, keys, keep, step):
        return attention(query, keys, keep)

    untrained = mean_loss(model, look, batches)
    fit_look(model, look, attention.parameters(), batches, learning_rate=0.1)
    assert mean_loss(model, look, batches) < untrained
    for name, weight in model.state_dict().items():
        assert torch.equal(weight, before[name])


def test_a_look_that_draws_learns_by_the_score_function_alone(model, batches):
    attention, generator = GeneralAttention(8, 8), torch.Generator().manual_seed(0)
    hard = HardAttention(attention)

    def draw(query, keys, keep, step):
        return hard(query, keys, keep, generator)

    def soft(query, keys, keep, step):
        return attention(query, keys, keep)

    before = attention.W.weight.clone()
    with pytest.raises(RuntimeError, match="does not require grad"):
        fit_look(model, draw, attention.parameters(), batches, 0.05)  # a draw passes no gradient …
    fit_look(model, draw, attention.parameters(), batches, 0.05, rival=soft)  # … the score function does
    assert not torch.equal(attention.W.weight, before)


def test_the_mean_counts_tokens_and_no_padding(model, batches):
    def look(query, keys, keep, step):
        return model.decoder.attention(query, keys, keep)

    source, target = batches[0]
    padded = Batch(torch.nn.functional.pad(source, (0, 2)), torch.nn.functional.pad(target, (0, 3)))
    assert mean_loss(model, look, [padded]) == pytest.approx(mean_loss(model, look, [batches[0]]), rel=1e-5)
