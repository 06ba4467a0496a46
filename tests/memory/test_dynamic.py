import pytest
import torch
from torch.nn import functional

from course_lib.memory.dynamic import DynamicMemoryNetwork

# As in the memory network's test: the newest sentence first, 0 is padding.
SENTENCES = torch.tensor([[[1, 2, 3], [4, 5, 0], [6, 1, 2]], [[3, 0, 0], [2, 6, 4], [0, 0, 0]]])
QUESTIONS = torch.tensor([[5, 1], [6, 0]])


def network(passes=2):
    torch.manual_seed(0)
    model = DynamicMemoryNetwork(7, 3, passes).double()
    for weight in model.parameters():
        torch.nn.init.normal_(weight)
    return model


@torch.no_grad()
def torch_cell(layer):
    """The same unit as torch has it."""
    cell = torch.nn.GRUCell(layer.input_size, layer.hidden_size).double()
    cell.weight_ih.copy_(layer.W_x.weight)
    cell.weight_hh.copy_(layer.W_h.weight)
    cell.bias_ih.copy_(layer.W_x.bias)
    cell.bias_hh.zero_()
    cell.bias_hh[-layer.hidden_size :] = layer.b_h
    return cell


@torch.no_grad()
def by_loops(model, story, question):
    """Logits, and gates of each pass, for one story: sentences of ids, the oldest first, without padding."""
    cells = {
        name: torch_cell(getattr(model, name))
        for name in ("input", "question", "episode", "memory", "answer")
    }
    nothing = torch.zeros(3, dtype=torch.float64)
    h, facts = nothing, []
    for sentence in story:
        for word in sentence:
            h = cells["input"](model.words.weight[word], h)
        facts.append(h)
    q = nothing
    for word in question:
        q = cells["question"](model.words.weight[word], q)
    m, passes = q, []
    for _ in range(model.passes):
        e, gates = nothing, []
        for c in facts:
            products = torch.stack([c @ model.W.weight @ q, c @ model.W.weight @ m])
            z = torch.cat([c, m, q, c * q, c * m, abs(c - q), abs(c - m), products])
            first, _, second = model.gate
            g = torch.sigmoid(second.weight @ torch.tanh(first.weight @ z + first.bias) + second.bias)
            e = g * cells["episode"](c, e) + (1 - g) * e
            gates.append(g.item())
        m = cells["memory"](e, m)
        passes.append(gates)
    a = cells["answer"](torch.cat([torch.zeros(7, dtype=torch.float64), q]), m)
    return model.W_a.weight @ a + model.W_a.bias, passes


@pytest.mark.parametrize("passes", [1, 3])
def test_a_batch_is_what_loops_over_words_and_facts_give(passes):
    model = network(passes)
    logits, gates = model(SENTENCES, QUESTIONS)
    for i in range(2):
        story = [[w for w in sentence if w] for sentence in SENTENCES[i].flip(0).tolist()]
        expected, opened = by_loops(model, [s for s in story if s], [w for w in QUESTIONS[i].tolist() if w])
        torch.testing.assert_close(logits[i], expected)
        for row, values in zip(gates[i], opened, strict=True):
            assert row[: len(values)].tolist() == pytest.approx(values[::-1])
            assert row[len(values) :].count_nonzero() == 0


def test_more_padding_changes_nothing_and_opens_no_gate():
    model = network()
    logits, gates = model(SENTENCES, QUESTIONS)
    padded, wider = model(functional.pad(SENTENCES, (0, 2, 0, 1)), functional.pad(QUESTIONS, (0, 3)))
    torch.testing.assert_close(padded, logits)
    torch.testing.assert_close(wider[..., :3], gates)
    assert wider[..., 3].count_nonzero() == 0


def test_shut_gates_let_nothing_in_and_an_open_one_lets_in_its_fact_alone():
    model = network()
    facts = torch.randn(1, 3, 3, dtype=torch.float64)
    assert model.listen(facts, torch.zeros(1, 3).double()).count_nonzero() == 0
    alone = model.listen(facts[:, 1:2], torch.ones(1, 1).double())
    torch.testing.assert_close(model.listen(facts, torch.tensor([[0.0, 1, 0]]).double()), alone)


def test_an_episode_knows_the_order_of_its_facts():
    model = network()
    facts, open_ = torch.randn(1, 3, 3, dtype=torch.float64), torch.ones(1, 3, dtype=torch.float64)
    assert not torch.allclose(model.listen(facts, open_), model.listen(facts.flip(1), open_))


def test_gradients_are_those_of_finite_differences():
    model = network()
    names = [name for name, _ in model.named_parameters()]

    def run(*values):
        named = dict(zip(names, values, strict=True))
        return torch.func.functional_call(model, named, (SENTENCES, QUESTIONS))

    assert torch.autograd.gradcheck(
        run, tuple(w.detach().requires_grad_() for w in model.parameters()), fast_mode=True
    )


def test_what_cannot_be_read_is_named():
    model, empty = network(), SENTENCES.clone()
    empty[1] = 0
    with pytest.raises(ValueError, match="story 1 of the batch is empty"):
        model(empty, QUESTIONS)
    with pytest.raises(ValueError, match="question 0 of the batch is empty"):
        model(SENTENCES, torch.tensor([[0, 0], [6, 0]]))
    with pytest.raises(ValueError, match="a word has id 7; allowed are 0 to 6"):
        model(SENTENCES, QUESTIONS + 1)
    with pytest.raises(ValueError, match="passes is 0; allowed is 1 or more"):
        network(passes=0)
