"""Deep LSTMs, GNMT and ConvS2S: written-out equations, step = forward, padding, causality, variance."""

import pytest
import torch
from torch import Tensor

from course_lib.applications.families import build
from course_lib.seq2seq.convs2s import ConvS2S
from course_lib.seq2seq.gnmt import GNMT
from course_lib.seq2seq.model import Seq2Seq
from course_lib.seq2seq.sutskever import Sutskever, reverse

VOCABULARY = 20
SOURCE = torch.tensor([[5, 6, 7, 8, 2], [9, 5, 2, 0, 0], [2, 0, 0, 0, 0]])
TARGET = torch.tensor([[1, 4, 5, 6], [1, 7, 8, 9], [1, 3, 3, 4]])


def models() -> dict[str, Seq2Seq]:
    """Small ones in float64, in evaluation mode."""
    torch.manual_seed(0)
    return {
        "sutskever": Sutskever(VOCABULARY, 6, 8, layers=2).double().eval(),
        "gnmt": GNMT(VOCABULARY, 6, 8, layers=4).double().eval(),
        "convs2s": ConvS2S(VOCABULARY, 8, layers=3, kernel=3).double().eval(),
    }


@pytest.mark.parametrize("name", models())
def test_step_by_step_equals_all_at_once(name: str) -> None:
    model = models()[name]
    logits, weights = model(SOURCE, TARGET)
    state = model.start(SOURCE)
    for i, tokens in enumerate(TARGET.unbind(1)):
        step = model.step(tokens, state)
        state = step.state
        torch.testing.assert_close(model.logits(step.evidence), logits[:, i])
        if weights is not None:
            torch.testing.assert_close(step.weights, weights[..., i, :])


@pytest.mark.parametrize("name", models())
def test_padding_and_other_sentences_change_nothing(name: str) -> None:
    model = models()[name]
    together, _ = model(SOURCE, TARGET)
    for i, length in enumerate((5, 3, 1)):
        for extra in (0, 2 * length):
            source = torch.nn.functional.pad(SOURCE[i : i + 1, :length], (0, extra))
            alone, _ = model(source, TARGET[i : i + 1])
            torch.testing.assert_close(alone[0], together[i])


@pytest.mark.parametrize("name", models())
def test_no_gradient_comes_from_the_future(name: str) -> None:
    model = models()[name]
    embedded: list[Tensor] = []

    def watch(tokens: Tensor) -> Tensor:
        leaf = type(model).embed(model, tokens).detach().requires_grad_()
        embedded.append(leaf)
        return leaf

    model.embed = watch  # type: ignore[method-assign]
    logits, _ = model(SOURCE, TARGET)
    logits[:, 1].square().sum().backward()
    target = next(leaf for leaf in embedded if leaf.shape[:2] == TARGET.shape)
    assert (target.grad[:, 2:] == 0).all() and (target.grad[:, :2] != 0).any()


@pytest.mark.parametrize("name", models())
def test_is_built_again_from_its_configuration(name: str) -> None:
    model = models()[name]
    again = build(model.config).double().eval()
    again.load_state_dict(model.state_dict())
    torch.testing.assert_close(again(SOURCE, TARGET)[0], model(SOURCE, TARGET)[0])


def test_a_sentence_is_reversed_and_its_padding_is_not() -> None:
    lengths = (SOURCE != 0).sum(1)
    assert reverse(SOURCE, lengths).tolist() == [[2, 8, 7, 6, 5], [2, 5, 9, 0, 0], [2, 0, 0, 0, 0]]


def test_sutskever_equals_two_lstms_run_by_hand_on_one_sentence() -> None:
    model = models()["sutskever"]
    assert isinstance(model, Sutskever)
    table = model.embedding.weight * 6**0.5
    _, last = model.encoder(table[SOURCE[1, :3].flip(0)][None])  # no padding, no packing
    outputs, _ = model.decoder(table[TARGET[1]][None], last)
    expected = model.to_embedding(outputs) @ model.embedding.weight.T + model.bias
    torch.testing.assert_close(model(SOURCE[1:2], TARGET[1:2])[0], expected)


def test_gnmt_equals_its_equations_written_out_step_by_step() -> None:
    model = models()["gnmt"]
    assert isinstance(model, GNMT)
    table = model.embedding.weight * 6**0.5
    h, _ = model.both_ways(table[SOURCE[0]][None])
    for i, lstm in enumerate(model.encoder):
        h = lstm(h)[0] + (h if i > 0 else 0)  # the third layer from the bottom is the first to add
    states = [(torch.zeros(1, 8, dtype=torch.float64),) * 2 for _ in range(4)]
    cells = [model.bottom]
    for lstm in model.above:
        cell = torch.nn.LSTMCell(16, 8, dtype=torch.float64)
        cell.load_state_dict({name.removesuffix("_l0"): w for name, w in lstm.state_dict().items()})
        cells.append(cell)
    rows = []
    for token in TARGET[0]:
        scores = model.attention.v(
            torch.tanh(model.attention.W(states[0][0])[:, None] + model.attention.U(h))
        )
        context = (scores.softmax(1) * h).sum(1)
        x = table[token][None]
        for i, cell in enumerate(cells):
            states[i] = cell(torch.cat([x, context], 1), states[i])
            x = states[i][0] + (x if i > 1 else 0)
        rows.append(model.to_embedding(torch.cat([x, context], 1)) @ model.embedding.weight.T + model.bias)
    torch.testing.assert_close(model(SOURCE[:1], TARGET[:1])[0], torch.stack(rows, 1))


def test_convs2s_equals_its_equations_written_out_position_by_position() -> None:
    model = models()["convs2s"]
    assert isinstance(model, ConvS2S)
    source, target, half = SOURCE[0], TARGET[0], 0.5**0.5
    zero = torch.zeros(8, dtype=torch.float64)

    def gated(layer: torch.nn.Module, window: list[Tensor]) -> Tensor:
        weight, bias = layer.convolution.weight, layer.convolution.bias
        a, b = (sum(weight[:, :, k] @ x for k, x in enumerate(window)) + bias).chunk(2)
        return a * torch.sigmoid(b)

    table = model.embedding.weight
    e = [table[token] + model.positions.table[j] for j, token in enumerate(source)]
    z = e
    for layer in model.encoder:
        wide = [zero, *z, zero]
        z = [(x + gated(layer, wide[j : j + 3])) * half for j, x in enumerate(z)]
    g = [table[token] + model.positions.table[i] for i, token in enumerate(target)]
    h = g
    for layer in model.decoder:
        wide, new = [zero, zero, *h], []
        for i, x in enumerate(h):
            hidden = gated(layer.convolution, wide[i : i + 3])
            d = (layer.query(hidden) + g[i]) * half
            alpha = torch.stack([d @ key for key in z]).softmax(0)
            c = sum(a * (key + word) * half for a, key, word in zip(alpha, z, e, strict=True)) * len(e) ** 0.5
            new.append(((hidden + layer.output(c)) * half + x) * half)
        h = new
    expected = torch.stack(h) @ model.embedding.weight.T + model.bias
    torch.testing.assert_close(model(SOURCE[:1], TARGET[:1])[0][0], expected)


def test_the_gated_convolutions_keep_the_variance_of_small_inputs() -> None:
    torch.manual_seed(0)
    model = ConvS2S(500, 64, layers=8).eval()
    with torch.no_grad():
        model.embedding.weight.mul_(0.1)  # the paper's embeddings are small: the gates stand near one half
    source = torch.randint(3, 500, (64, 40))
    keys = model.start(source).source.keys[:, 10:30]
    # Without the factor √½ the variance would double in every layer: 256 times after eight.
    assert 0.7 < keys.var() / model.positions(model.embed(source)).var() < 1.4


def test_bad_input_is_named() -> None:
    with pytest.raises(ValueError, match="kernel is 4; allowed are odd numbers from 3 on"):
        ConvS2S(VOCABULARY, 8, layers=1, kernel=4)
    with pytest.raises(ValueError, match=r"layers is 1,.* 2 or more"):
        GNMT(VOCABULARY, 6, 8, layers=1)
    with pytest.raises(ValueError, match="family is 'mamba'; allowed are 'recurrent'"):
        build({"family": "mamba"})
    for model in models().values():
        with pytest.raises(ValueError, match=r"lengths are \[0\]"):
            model.start(torch.zeros(1, 3, dtype=torch.long))
