import math

import pytest
import torch
from scipy.stats import chisquare
from torch import nn

from course_lib.applications.language import load_character_lm, save_character_lm, write
from course_lib.decoding import sample
from course_lib.recurrent.conversion import from_torch
from course_lib.recurrent.language_model import KINDS, LanguageModel, nats
from course_lib.recurrent.truncated import chunks
from course_lib.text.vocabulary import CharacterVocabulary


def make(kind="lstm", **sizes):
    torch.manual_seed(0)
    return LanguageModel(5, 8, kind, **sizes).double().eval()


def text(length):
    return torch.randint(5, (length,), generator=torch.Generator().manual_seed(1))


@pytest.mark.parametrize("kind", KINDS)
def test_a_model_that_knows_nothing_pays_the_logarithm_of_the_vocabulary(kind):
    model = make(kind)
    nn.init.zeros_(model.head.weight)
    nn.init.zeros_(model.head.bias)
    assert nats(model, text(40)) == pytest.approx(math.log(5), rel=1e-12)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("layers", [1, 2])
def test_read_in_chunks_is_read_at_once(kind, layers):
    """Chunked = whole, in every number: a state that is not carried, or by the wrong layer, would show."""
    model, tokens = make(kind, layers=layers), text(30).view(2, 15)
    whole, last = model(tokens)
    state, parts = None, []
    for inputs, _ in chunks(torch.nn.functional.pad(tokens, (0, 1)), 4):
        part, state = model(inputs, state)
        parts.append(part)
    torch.testing.assert_close(torch.cat(parts, dim=1), whole)
    torch.testing.assert_close(state, last)
    forgetful = torch.cat([model(inputs)[0] for inputs in tokens.split(4, dim=1)], dim=1)
    assert not torch.allclose(forgetful, whole)


def test_the_loss_of_a_text_is_the_mean_of_all_its_predictions_whatever_the_chunk():
    model, tokens = make(), text(31)
    logits, _ = model(tokens[None, :-1])
    each = -logits[0].log_softmax(dim=-1)[torch.arange(30), tokens[1:]]
    for chunk in (1, 7, 500):
        assert nats(model, tokens, chunk=chunk) == pytest.approx(each.mean().item(), rel=1e-12)
    halves = [nats(model, half) for half in (tokens[:15], tokens[15:30])]
    assert nats(model, tokens, parallel=2) == pytest.approx(sum(halves) / 2, rel=1e-12)


def test_it_equals_torch_with_copied_weights():
    torch.manual_seed(0)
    embedding, lstm, head = nn.Embedding(5, 3), nn.LSTM(3, 8, 2, batch_first=True), nn.Linear(8, 5)
    model = LanguageModel(5, 8, embedding_size=3, layers=2)
    model.embedding, model.layers, model.head = embedding, from_torch(lstm), head
    tokens = text(24).view(2, 12)
    logits, state = model(tokens)
    outputs, theirs = lstm(embedding(tokens))
    torch.testing.assert_close(logits, head(outputs))
    torch.testing.assert_close(state, theirs)


def test_a_one_hot_vector_is_a_row_of_a_table():
    model = make()
    (layer,) = model.layers.rnns
    with_table = make(embedding_size=5)
    with_table.load_state_dict(model.state_dict() | {"embedding.weight": torch.eye(5, dtype=torch.float64)})
    tokens = text(10).view(1, 10)
    torch.testing.assert_close(model(tokens), with_table(tokens))
    torch.testing.assert_close(
        layer.project(model.embed(tokens))[0], layer.W_x.weight.T[tokens[0]] + layer.W_x.bias
    )


def test_tied_is_one_table_with_the_gradients_of_both_its_uses():
    tied, untied = make(embedding_size=8, tied=True), make(embedding_size=8)
    untied.load_state_dict(tied.state_dict())
    tokens = text(12).view(1, 12)
    for model in (tied, untied):
        model.loss(tokens[:, :-1], tokens[:, 1:])[0].backward()
    assert sum(p.numel() for p in untied.parameters()) - sum(p.numel() for p in tied.parameters()) == 5 * 8
    both = untied.embedding.weight.grad + untied.head.weight.grad
    torch.testing.assert_close(tied.head.weight.grad, both)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"kind": "hmm"}, r"kind is 'hmm'; allowed are 'rnn', 'lstm'"),
        ({"tied": True}, "embedding_size is None; tied allows 8"),
        ({"tied": True, "embedding_size": 4}, "embedding_size is 4; tied allows 8"),
    ],
)
def test_what_a_model_cannot_be(arguments, message):
    with pytest.raises(ValueError, match=message):
        LanguageModel(5, 8, **arguments)


@pytest.mark.parametrize("temperature", [0, -1.0, math.nan])
def test_a_temperature_is_above_zero(temperature):
    with pytest.raises(ValueError, match=r"temperature is .*; allowed is above 0"):
        write(make(), CharacterVocabulary("abcde"), "a", 3, temperature)


@pytest.mark.parametrize("temperature", [0.5, 1.0, 2.0])
def test_tokens_are_drawn_as_often_as_the_probabilities_say(temperature):
    """The second token after each first one: a sampler that loses its state draws other frequencies."""
    model, count = make("rnn"), 20_000
    with torch.no_grad():
        for weight in model.parameters():
            weight.mul_(3)  # far from uniform, so that state and temperature matter
    beginning = torch.tensor([[3, 1]])
    generator = torch.Generator().manual_seed(0)
    last, state = model.read(beginning.expand(count, 2))
    found = sample(model.next_token, state, last, None, 2, temperature, generator=generator)
    drawn = torch.tensor([hypothesis.tokens for hypothesis in found])
    with torch.no_grad():
        first = torch.exp(model(beginning)[0][0, -1] / temperature)
        first /= first.sum()
        followed = torch.stack([model(torch.tensor([[3, 1, i]]))[0][0, -1] for i in range(5)])
        second = torch.exp(followed / temperature)
        second /= second.sum(dim=1, keepdim=True)
    expected = (first[:, None] * second).flatten() * count
    seen = torch.bincount(drawn[:, 0] * 5 + drawn[:, 1], minlength=25)
    often = expected >= 5
    observed = torch.cat([seen[often], seen[~often].sum()[None]])
    wanted = torch.cat([expected[often], expected[~often].sum()[None]])
    keep = wanted > 0
    assert chisquare(observed[keep], wanted[keep]).pvalue > 1e-3


def test_a_cold_sampler_takes_the_likeliest_token_each_time():
    model = make()
    tokens = torch.tensor([[2]])
    for _ in range(6):
        tokens = torch.cat([tokens, model(tokens)[0][:, -1].argmax(dim=-1, keepdim=True)], dim=1)
    last, state = model.read(tokens[:, :1])
    (drawn,) = sample(model.next_token, state, last, None, 6, temperature=1e-9)
    assert drawn.tokens == tuple(tokens[0, 1:].tolist())


def test_the_same_seed_writes_the_same_and_nothing_is_asked_of_an_empty_beginning():
    model, vocabulary = make(), CharacterVocabulary("abcde")
    once, again, other = (write(model, vocabulary, "ab", 30, seed=seed) for seed in (1, 1, 2))
    assert once == again != other
    assert len(once) == 30
    with pytest.raises(ValueError, match="tokens are 0; allowed is 1 or more"):
        write(model, vocabulary, "", 3)
    with pytest.raises(ValueError, match=r"text has the characters \['z'\]"):
        write(model, vocabulary, "az", 3)


def test_a_text_without_a_prediction_has_no_loss():
    with pytest.raises(ValueError, match="tokens are 1"):
        nats(make(), text(1))


def test_a_checkpoint_is_the_model_in_whole_numbers(tmp_path):
    sizes = {"hidden_size": 8, "embedding_size": 8, "tied": True}
    torch.manual_seed(0)
    model, vocabulary = LanguageModel(5, **sizes).eval(), CharacterVocabulary("e\n cd")
    save_character_lm(tmp_path / "x.safetensors", model, vocabulary, sizes)
    loaded, known = load_character_lm(tmp_path / "x.safetensors")
    assert known.characters == vocabulary.characters and not loaded.training
    for name, weight in model.state_dict().items():
        step = weight.abs().amax(dim=-1, keepdim=True) / 127
        assert ((loaded.state_dict()[name] - weight).abs() <= 0.501 * step).all()
    assert loaded.head.weight is loaded.embedding.weight
