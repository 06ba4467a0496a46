"""A language model from both sides: each guess sees one side only, and padding nothing."""

import math

import numpy as np
import pytest
import torch

from course_lib.applications.contextual_reader import ContextualReader, load_reader, save_reader
from course_lib.recurrent.bidirectional_lm import BidirectionalLanguageModel
from course_lib.text.bpe import BytePairEncoding


@pytest.fixture
def model():
    torch.manual_seed(0)
    model = BidirectionalLanguageModel(vocabulary_size=11, size=6, layers=2).double()
    torch.nn.init.normal_(model.bias)
    return model


def cell(layer, x, h, c):
    """One LSTM step, written out."""
    i, f, o, g = (layer.W_x.weight @ x + layer.W_x.bias + layer.W_h.weight @ h).chunk(4)
    c = f.sigmoid() * c + i.sigmoid() * g.tanh()
    return o.sigmoid() * c.tanh(), c


def read(layers, vectors):
    """The top states of a stack that reads vectors one by one."""
    for layer in layers:
        h = c = torch.zeros(layer.hidden_size, dtype=torch.double)
        states = []
        for x in vectors:
            h, c = cell(layer, x, h, c)
            states.append(h)
        vectors = states
    return vectors


def test_losses_are_the_sums_of_the_equation(model):
    sentences = [[1, 4, 9, 4, 2], [1, 7, 2]]
    wanted = [0.0, 0.0]
    for sentence in sentences:
        vectors = [model.embedding.weight[token] for token in sentence]
        right, left = read(model.rightwards, vectors), read(model.leftwards, vectors[::-1])[::-1]
        for side, pairs in enumerate(
            (zip(right[:-1], sentence[1:], strict=True), zip(left[1:], sentence[:-1], strict=True))
        ):
            for state, token in pairs:
                chances = (model.embedding.weight @ state + model.bias).softmax(0)
                wanted[side] -= math.log(chances[token].item()) / 6  # 4 + 2 guesses
    tokens = torch.tensor([[1, 4, 9, 4, 2], [1, 7, 2, 0, 0]])
    losses = model.losses(tokens, torch.tensor([5, 3]))
    assert losses.forward.item() == pytest.approx(wanted[0], rel=1e-12)
    assert losses.backward.item() == pytest.approx(wanted[1], rel=1e-12)


@pytest.mark.parametrize("place", range(5))
def test_no_guess_sees_its_token_or_what_lies_on_the_other_side(model, place):
    """∂ guess of x_t / ∂ E[x_s] is exactly 0 unless s < t (forward) or s > t (backward), in both layers."""
    tokens = torch.tensor([[1, 4, 9, 5, 2]])
    seen = []
    handle = model.embedding.register_forward_hook(lambda *call: seen.append(call[-1].requires_grad_()))
    guesses = model(tokens)
    handle.remove()
    for guess, sees in (
        (guesses.forward[0, place - 1] if place else None, range(place)),
        (guesses.backward[0, place] if place < 4 else None, range(place + 1, 5)),
    ):
        if guess is not None:
            (gradient,) = torch.autograd.grad(guess.square().sum(), seen[0], retain_graph=True)
            moved = gradient[0].abs().sum(dim=-1)
            assert [s for s in range(5) if moved[s] != 0] == list(sees)


def test_the_vector_of_a_word_has_read_the_word_and_one_side_in_each_half(model):
    tokens = torch.tensor([[1, 4, 9, 5, 2]])
    before = model.states(tokens)
    for changed in range(5):
        other = tokens.clone()
        other[0, changed] = 10
        after = model.states(other)
        for one, two, moves in (
            (before.forward, after.forward, lambda t, s=changed: t >= s),
            (before.backward, after.backward, lambda t, s=changed: t <= s),
        ):
            same = (one == two).all(dim=-1)[:, 0]  # (layers, time)
            assert same.tolist() == [[not moves(t) for t in range(5)]] * 2


@pytest.mark.parametrize("extra", [1, 10])
def test_padding_changes_nothing(model, extra):
    sentence, other = [1, 4, 9, 2], [1, 5, 6, 7, 8, 2]
    longest = len(other) + extra
    batch = torch.full((2, longest), 3)  # any token may stand behind the end
    batch[0, :4], batch[1, :6] = torch.tensor(sentence), torch.tensor(other)
    lengths = torch.tensor([4, 6])
    alone = model.states(torch.tensor([sentence]))
    padded = model.states(batch, lengths)
    for one, two in zip(alone, padded, strict=True):
        torch.testing.assert_close(two[:, 0, :4], one[:, 0], rtol=0, atol=1e-14)
        assert not two[:, 0, 4:].any()
    by_hand = [
        (3 * a + 5 * b) / 8
        for a, b in zip(
            model.losses(torch.tensor([sentence])), model.losses(torch.tensor([other])), strict=True
        )
    ]
    torch.testing.assert_close(torch.stack(model.losses(batch, lengths)), torch.stack(by_hand))
    other_pads = batch.masked_fill(batch == 3, 9)
    assert model.losses(batch, lengths) == model.losses(other_pads, lengths)


def test_reading_backwards_is_reading_the_turned_sentence(model):
    """With the same weights in both stacks, one direction is the other on the turned sentence."""
    model.leftwards.load_state_dict(model.rightwards.state_dict())
    tokens = torch.tensor([[1, 4, 9, 5, 2]])
    torch.testing.assert_close(model.losses(tokens).backward, model.losses(tokens.flip(1)).forward)


def test_a_word_of_several_pieces_is_read_whole():
    encoding = BytePairEncoding("abc▁", [("▁", "a")])
    torch.manual_seed(0)
    reader = ContextualReader(BidirectionalLanguageModel(len(encoding), size=4), encoding)
    words = ["a", "abc", "c"]
    assert [len(ids) for ids in reader.pieces(words)] == [1, 3, 2]
    states = reader.model.states(torch.tensor([reader.sentence(words)]))
    vectors = reader.vectors(words)
    assert vectors.shape == (2, 3, 8)
    for word, (first, last) in enumerate(((1, 1), (2, 4), (5, 6))):  # place 0 holds the mark of the begin
        for layer in range(2):
            joined = torch.cat([states.forward[layer, 0, last], states.backward[layer, 0, first]])
            assert vectors[layer, word].tolist() == joined.tolist()
    assert (vectors[:, 0] != reader.vectors(["a", "c"])[:, 0]).any()  # the same word, another sentence


def test_what_comes_next_is_the_product_over_its_pieces():
    """Step by step with an own softmax; all words of one piece and more together have no more than 1."""
    encoding = BytePairEncoding("abc▁", [("▁", "a")])
    torch.manual_seed(0)
    reader = ContextualReader(BidirectionalLanguageModel(len(encoding), size=4), encoding)
    read, expected = reader.sentence(["a", "c"])[:-1], 0.0
    for piece in encoding.encode("ab"):
        state = reader.model.states(torch.tensor([read])).forward[-1, 0, -1]
        scores = state @ reader.model.embedding.weight.T + reader.model.bias
        expected += (scores[piece] - scores.exp().sum().log()).item()
        read = [*read, piece]
    one, two = reader.next_word(["a", "c"], ["b", "ab"])
    assert two == pytest.approx(expected, abs=1e-5) and one != two
    assert np.exp(reader.next_word(["a"], ["a", "b", "c"])).sum() < 1


def test_a_saved_reader_reads_the_same(tmp_path):
    encoding = BytePairEncoding("abc▁", [("▁", "a")])
    sizes = {"size": 4, "layers": 1}
    reader = ContextualReader(BidirectionalLanguageModel(len(encoding), **sizes).half().float(), encoding)
    save_reader(tmp_path / "reader.safetensors", reader, sizes)
    again = load_reader(tmp_path / "reader.safetensors")
    assert again.vectors(["abc", "é"]).tolist() == reader.vectors(["abc", "é"]).tolist()


def test_bad_input_is_named(model):
    with pytest.raises(ValueError, match="layers is 0"):
        BidirectionalLanguageModel(5, 4, layers=0)
    with pytest.raises(ValueError, match=r"lengths are \[1\]; allowed is 2 or more"):
        model.losses(torch.tensor([[1, 2]]), torch.tensor([1]))
    with pytest.raises(ValueError, match="lengths"):
        model.losses(torch.tensor([[1, 2]]), torch.tensor([3]))
    with pytest.raises(TypeError, match="lengths"):
        model.losses(torch.tensor([[1, 2]]), torch.tensor([2.0]))
    reader = ContextualReader(model.float(), BytePairEncoding("ab▁", []))
    for words in ([], ["a", ""]):
        with pytest.raises(ValueError, match="words are"):
            reader.vectors(words)
        with pytest.raises(ValueError, match="words are"):
            reader.next_word(words, ["a"])
        with pytest.raises(ValueError, match="candidates are"):
            reader.next_word(["a"], words)
