import pytest
import torch
from torch import nn
from torch.nn import functional

from course_lib.attention import LocationAwareAttention
from course_lib.seq2seq import DECODERS, BidirectionalEncoder, EncoderDecoder

VOCABULARY, EMBEDDING, HIDDEN = 11, 4, 6
SOURCE = torch.tensor([[3, 4, 5, 6, 2], [7, 8, 2, 0, 0]])
TARGET = torch.tensor([[1, 9, 10, 3], [1, 4, 0, 0]])


@pytest.fixture(params=DECODERS)
def model(request):
    torch.manual_seed(0)
    return EncoderDecoder(request.param, VOCABULARY, EMBEDDING, HIDDEN).double()


def gru(cell, x, h):
    """A GRU step as its equations say."""
    reset_x, update_x, new_x = (cell.weight_ih @ x + cell.bias_ih).chunk(3)
    reset_h, update_h, new_h = (cell.weight_hh @ h + cell.bias_hh).chunk(3)
    reset, update = torch.sigmoid(reset_x + reset_h), torch.sigmoid(update_x + update_h)
    return (1 - update) * torch.tanh(new_x + reset * new_h) + update * h


def encode_one(encoder, embedded):
    """The states of one sentence from two cells that know nothing of batches."""
    rnn, half = encoder.rnn, encoder.rnn.hidden_size
    cells = []
    for ending in ("l0", "l0_reverse"):
        cell = nn.GRUCell(rnn.input_size, half).double()
        for kind in ("weight_ih", "weight_hh", "bias_ih", "bias_hh"):
            getattr(cell, kind).data = getattr(rnn, f"{kind}_{ending}").data
        cells.append(cell)
    runs = []
    for cell, inputs in zip(cells, (embedded, embedded.flip(0)), strict=True):
        h, states = torch.zeros(half).double(), []
        for x in inputs:
            h = gru(cell, x, h)
            states.append(h)
        runs.append(states)
    forward, backward = runs[0], runs[1][::-1]
    states = torch.stack([torch.cat(pair) for pair in zip(forward, backward, strict=True)])
    return states, torch.cat([forward[-1], backward[0]])


def near_the_last_look(attention, before, j):
    """F f_j, from the weights of the step before: filter by filter, place by place."""
    half = attention.K.kernel_size[0] // 2
    f = [
        sum(taps[k] * before[j + k - half] for k in range(len(taps)) if 0 <= j + k - half < len(before))
        for taps in attention.K.weight[:, 0]
    ]
    return attention.F.weight @ torch.stack(f)


def write_one(model, source, target):
    """Logits and weights of one sentence, token by token, as the papers' equations say."""
    decoder = model.decoder
    embed = model.embedding.weight * EMBEDDING**0.5
    states, summary = encode_one(model.encoder, embed[source])
    s = torch.tanh(decoder.first(summary))
    kind = type(decoder).__name__
    feed = torch.tanh(decoder.summarise(summary)) if kind == "ChoDecoder" else torch.zeros(HIDDEN).double()
    logits, alphas = [], []

    first = s

    def score(query, j, h):
        attention = decoder.attention
        if kind == "LuongDecoder":
            return attention.score(query[None], attention.project(h[None, None]))[0, 0]
        compared = attention.W.weight @ query + attention.U.weight @ h
        if kind == "LocationAwareDecoder" and alphas:
            compared = compared + near_the_last_look(attention, alphas[-1], j)
        return attention.v.weight[0] @ torch.tanh(compared)

    def look(query):
        scores = torch.stack([score(query, j, h) for j, h in enumerate(states)])
        alpha = scores.exp() / scores.exp().sum()
        alphas.append(alpha)
        return alpha @ states

    for y in embed[target]:
        if kind == "LuongDecoder":
            s = gru(decoder.cell, torch.cat([y, feed]), s)
            feed = torch.tanh(decoder.W_c.weight @ torch.cat([look(s), s]) + decoder.W_c.bias)
            features = decoder.readout.weight @ feed + decoder.readout.bias
        else:
            asks = {"FixedLookDecoder": first, "WordAwareDecoder": torch.cat([s, y])}
            context = feed if kind == "ChoDecoder" else look(asks.get(kind, s))
            s = gru(decoder.cell, torch.cat([y, context]), s)
            pieces = decoder.readout.linear(torch.cat([s, y, context]))
            features = torch.maximum(pieces[:EMBEDDING], pieces[EMBEDDING:])
        logits.append(model.embedding.weight @ features + model.bias)
    return torch.stack(logits), torch.stack(alphas) if alphas else None


def test_equals_the_equations_written_out_for_one_sentence(model):
    logits, weights = model(SOURCE, TARGET)
    for i in range(2):
        source, target = SOURCE[i][SOURCE[i] != 0], TARGET[i][TARGET[i] != 0]
        expected, alphas = write_one(model, source, target)
        torch.testing.assert_close(logits[i, : len(target)], expected)
        assert (alphas is None) == (weights is None)
        if alphas is not None:
            torch.testing.assert_close(weights[i, : len(target), : len(source)], alphas)


def test_padding_the_source_changes_nothing(model):
    padded = functional.pad(SOURCE, (0, 10))
    logits, weights = model(SOURCE, TARGET)
    padded_logits, padded_weights = model(padded, TARGET)
    torch.testing.assert_close(padded_logits, logits)
    if weights is not None:
        torch.testing.assert_close(padded_weights[..., :5], weights)
        assert padded_weights[..., 5:].count_nonzero() == 0
        assert weights[1, :, 3:].count_nonzero() == 0


def test_no_logit_depends_on_a_later_target_token(model):
    embedded = model.embed(TARGET).detach().requires_grad_()
    model.embed, embed = lambda tokens: embedded if tokens is TARGET else embed(tokens), model.embed
    logits, _ = model(SOURCE, TARGET)
    for t in range(TARGET.shape[1]):
        (gradient,) = torch.autograd.grad(logits[:, t].square().sum(), embedded, retain_graph=True)
        assert gradient[:, t + 1 :].count_nonzero() == 0
        assert gradient[:, t].count_nonzero() > 0


def test_one_step_at_a_time_equals_all_at_once(model):
    logits, weights = model(SOURCE, TARGET)
    state = model.start(SOURCE)
    for t in range(TARGET.shape[1]):
        evidence, state, alpha = model.step(TARGET[:, t], state)
        torch.testing.assert_close(model.logits(evidence), logits[:, t])
        if alpha is not None:
            torch.testing.assert_close(alpha, weights[:, t])


def test_bahdanau_looks_before_it_knows_the_last_token_and_luong_after():
    torch.manual_seed(0)
    other = TARGET.clone()
    other[:, 1] = 5
    for decoder, knows in (("bahdanau", False), ("luong_general", True), ("bahdanau_word", True)):
        model = EncoderDecoder(decoder, VOCABULARY, EMBEDDING, HIDDEN).double()
        (_, one), (_, two) = model(SOURCE, TARGET), model(SOURCE, other)
        assert torch.equal(one[:, 0], two[:, 0])
        assert torch.equal(one[:, 1], two[:, 1]) != knows
        assert not torch.equal(one[:, 2], two[:, 2])


def test_a_fixed_look_is_the_first_look_at_every_step():
    torch.manual_seed(0)
    fixed = EncoderDecoder("bahdanau_fixed", VOCABULARY, EMBEDDING, HIDDEN).double()
    changing = EncoderDecoder("bahdanau", VOCABULARY, EMBEDDING, HIDDEN).double()
    changing.load_state_dict(fixed.state_dict())
    (_, rows), (_, looks) = fixed(SOURCE, TARGET), changing(SOURCE, TARGET)
    assert (rows == rows[:, :1]).all()
    assert torch.equal(rows[:, 0], looks[:, 0]) and not torch.allclose(rows[:, 1], looks[:, 1])


def test_the_last_look_moves_the_next_one_and_only_near_by():
    """A filter of three taps from where all the weight lay reaches one place to each side."""
    torch.manual_seed(0)
    attention = LocationAwareAttention(HIDDEN, HIDDEN, HIDDEN, filters=2, width=3).double()
    moved = attention.locate(torch.tensor([[0.0, 0.0, 0.0, 1.0, 0.0, 0.0]]).double())[0].abs().sum(dim=1)
    assert (moved > 0).tolist() == [False, False, True, True, True, False]
    with pytest.raises(ValueError, match="width is 4; allowed are odd numbers"):
        LocationAwareAttention(HIDDEN, HIDDEN, HIDDEN, width=4)


def test_luong_feeds_what_it_saw_into_the_next_step():
    torch.manual_seed(0)
    model = EncoderDecoder("luong_dot", VOCABULARY, EMBEDDING, HIDDEN).double()
    state = model.start(SOURCE)
    fed = state._replace(feed=torch.ones_like(state.feed))
    tokens = TARGET[:, 0]
    assert not torch.equal(model.step(tokens, state).state.hidden, model.step(tokens, fed).state.hidden)


def test_gradients_reach_every_parameter(model):
    logits, _ = model(SOURCE, TARGET)
    logits.square().sum().backward()
    assert all(parameter.grad.abs().sum() > 0 for parameter in model.parameters())


def test_it_knows_how_many_states_are_no_padding():
    encoder, embedded = BidirectionalEncoder(EMBEDDING, HIDDEN), torch.zeros(2, 5, EMBEDDING)
    encoded = encoder(embedded, torch.tensor([5, 3]))
    assert encoded.lengths().tolist() == [5, 3]
    assert encoded._replace(keep=None).lengths().tolist() == [5, 5]


def test_wrong_input_is_named():
    with pytest.raises(ValueError, match="decoder is 'lstm'; allowed are 'cho', 'bahdanau'"):
        EncoderDecoder("lstm", VOCABULARY, EMBEDDING, HIDDEN)
    with pytest.raises(ValueError, match="hidden_size is 5; allowed are even numbers"):
        BidirectionalEncoder(EMBEDDING, 5)
    with pytest.raises(ValueError, match="every source needs at least one token"):
        EncoderDecoder("cho", VOCABULARY, EMBEDDING, HIDDEN).start(torch.zeros(1, 3, dtype=torch.long))


@pytest.mark.parametrize("name", ["luong_dot", "luong_general"])
def test_scores_that_are_products_keep_their_size_whatever_that_of_the_states(name):
    """A product of features of variance 1 has their number for its variance: the root of it is taken out."""
    torch.manual_seed(0)
    attention = DECODERS[name](EMBEDDING, 64).attention
    if name == "luong_general":
        nn.init.orthogonal_(attention.W.weight)
    query, keys = torch.randn(500, 64), torch.randn(500, 8, 64)
    assert attention.score(query, attention.project(keys)).std().item() == pytest.approx(1, abs=0.1)
