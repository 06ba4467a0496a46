import math

import pytest
import torch
from torch.nn import functional

from course_lib.memory.end_to_end import MemoryNetwork, ages_with_gaps, position_weights

# Two stories of ids, the newest sentence first: of 3 and of 2 sentences, of 1 to 3 words; 0 is padding.
SENTENCES = torch.tensor([[[1, 2, 3], [4, 5, 0], [6, 1, 2]], [[3, 0, 0], [2, 6, 4], [0, 0, 0]]])
QUESTIONS = torch.tensor([[5, 1], [6, 0]])
KINDS = [
    (tying, encoding, temporal)
    for tying in ("adjacent", "layer-wise")
    for encoding in ("position", "bag")
    for temporal in (True, False)
]


def network(**settings):
    torch.manual_seed(0)
    model = MemoryNetwork(7, 4, memory=5, **settings).double()
    for weight in model.parameters():
        torch.nn.init.normal_(weight)
    return model


@torch.no_grad()
def by_loops(model, story, question, softmax):
    """Logits and weights for one story, a list of lists of ids without padding, by the paper's formulas."""

    def sentence_vector(table, words):
        d, J = table.embedding_dim, len(words)
        total = torch.zeros(d, dtype=torch.float64)
        for j, word in enumerate(words, start=1):
            for k in range(1, d + 1):
                factor = (1 - j / J) - k / d * (1 - 2 * j / J) if model.encoding == "position" else 1
                total[k - 1] += factor * table.weight[word, k - 1]
        return total

    u = sentence_vector(model.B, question)
    looked = []
    for hop in range(len(model.A)):
        scores, outputs = [], []
        for age, words in enumerate(story):
            m, c = sentence_vector(model.A[hop], words), sentence_vector(model.C[hop], words)
            if model.temporal:
                m, c = m + model.T_A[hop].weight[age], c + model.T_C[hop].weight[age]
            scores.append(float(sum(u * m)))
            outputs.append(c)
        p = scores
        if softmax:
            total = sum(math.exp(score) for score in scores)
            p = [math.exp(score) / total for score in scores]
        o = sum(weight * c for weight, c in zip(p, outputs, strict=True))
        u = (u if model.adjacent else model.H.weight @ u) + o
        looked.append(p)
    return model.W.weight @ u, looked


def test_one_hop_by_hand():
    """One feature: B and A are 1, 2 for words 1, 2; C and W are 3, −1; no position, no time."""
    model = MemoryNetwork(3, 1, memory=2, hops=1, encoding="bag", temporal=False).double()
    with torch.no_grad():
        model.A[0].weight[:, 0] = torch.tensor([9.0, 1, 2])
        model.C[0].weight[:, 0] = torch.tensor([9.0, 3, -1])
    logits, weights = model(torch.tensor([[[1, 1, 0], [2, 1, 1]]]), torch.tensor([[2]]))
    # u = 2; m = 2, 4; scores 4, 8; c = 6, 5.
    first = 1 / (1 + math.exp(4))
    assert weights[0, 0].tolist() == pytest.approx([first, 1 - first])
    u = 2 + 6 * first + 5 * (1 - first)
    assert logits[0].tolist() == pytest.approx([9 * u, 3 * u, -u])


@pytest.mark.parametrize("softmax", [True, False])
@pytest.mark.parametrize(("tying", "encoding", "temporal"), KINDS)
def test_a_batch_is_what_loops_over_sentences_and_words_give(tying, encoding, temporal, softmax):
    model = network(hops=3, tying=tying, encoding=encoding, temporal=temporal)
    logits, weights = model(SENTENCES, QUESTIONS, softmax=softmax)
    for i in range(2):
        story = [[w for w in sentence if w] for sentence in SENTENCES[i].tolist()]
        question = [w for w in QUESTIONS[i].tolist() if w]
        expected, looked = by_loops(model, [s for s in story if s], question, softmax)
        torch.testing.assert_close(logits[i], expected)
        for hop, row in enumerate(looked):
            assert weights[i, hop, : len(row)].tolist() == pytest.approx(row)
            assert weights[i, hop, len(row) :].count_nonzero() == 0


def test_gradients_are_those_of_finite_differences():
    for tying in ("adjacent", "layer-wise"):
        model = network(hops=2, tying=tying)
        names = [name for name, _ in model.named_parameters()]

        def run(*values, model=model, names=names):
            named = dict(zip(names, values, strict=True))
            return torch.func.functional_call(model, named, (SENTENCES, QUESTIONS))

        assert torch.autograd.gradcheck(run, tuple(w.detach().requires_grad_() for w in model.parameters()))


@pytest.mark.parametrize("softmax", [True, False])
def test_more_padding_changes_nothing_and_gets_no_weight(softmax):
    model = network()
    logits, weights = model(SENTENCES, QUESTIONS, softmax=softmax)
    wider = functional.pad(SENTENCES, (0, 2, 0, 1))
    padded, padded_weights = model(wider, functional.pad(QUESTIONS, (0, 3)), softmax=softmax)
    torch.testing.assert_close(padded, logits)
    torch.testing.assert_close(padded_weights[..., :3], weights)
    assert padded_weights[..., 3].count_nonzero() == 0 and weights[1, :, 2].count_nonzero() == 0
    if softmax:
        torch.testing.assert_close(weights.sum(dim=-1), torch.ones(2, 3, dtype=torch.float64))


def test_position_weights_term_by_term():
    """d = 2: feature 1 has 1 − j/J − (1 − 2j/J)/2 = 1/2 for every word, feature 2 has j/J."""
    weights = position_weights(torch.tensor([2, 4]), words=4, size=2)
    assert weights[0].tolist() == [[0.5, 0.5], [0.5, 1], [0, 0], [0, 0]]
    assert weights[1].tolist() == [[0.5, 0.25], [0.5, 0.5], [0.5, 0.75], [0.5, 1]]
    d, J = 5, 3
    for j in range(1, J + 1):
        for k in range(1, d + 1):
            value = position_weights(torch.tensor(J), words=J, size=d)[j - 1, k - 1]
            assert float(value) == pytest.approx((1 - j / J) - (k / d) * (1 - 2 * j / J))


def test_positions_tell_the_order_of_words_and_a_bag_does_not():
    turned = SENTENCES.clone()
    turned[0, 0] = turned[0, 0].flip(0)
    for encoding, same in (("bag", True), ("position", False)):
        model = network(encoding=encoding)
        before, after = model(SENTENCES, QUESTIONS)[0], model(turned, QUESTIONS)[0]
        assert torch.allclose(before, after) == same


def test_ages_tell_the_order_of_sentences():
    turned = SENTENCES.clone()
    turned[0] = turned[0].flip(0)
    for temporal in (True, False):
        model = network(temporal=temporal)
        before, after = model(SENTENCES, QUESTIONS)[0], model(turned, QUESTIONS)[0]
        assert torch.allclose(before, after) != temporal


def test_tying_shares_parameters():
    adjacent = network(hops=3)
    assert adjacent.A[1] is adjacent.C[0] and adjacent.A[2] is adjacent.C[1]
    assert adjacent.T_A[1] is adjacent.T_C[0] and adjacent.T_A[2] is adjacent.T_C[1]
    assert adjacent.B is adjacent.A[0] and adjacent.W is adjacent.C[2]
    assert adjacent.A[0] is not adjacent.C[0]
    assert sum(w.numel() for w in adjacent.parameters()) == 4 * (7 + 5) * 4
    layerwise = network(hops=3, tying="layer-wise")
    assert layerwise.A[2] is layerwise.A[0] and layerwise.C[2] is layerwise.C[0]
    assert layerwise.T_A[2] is layerwise.T_A[0] and layerwise.T_C[2] is layerwise.T_C[0]
    # A, C, B, W, then T_A, T_C, then H
    assert sum(w.numel() for w in layerwise.parameters()) == 4 * 7 * 4 + 2 * 5 * 4 + 4 * 4


def test_linear_start_weighs_by_the_bare_scores():
    model = network(hops=1, temporal=False, encoding="bag")
    _, weights = model(SENTENCES, QUESTIONS, softmax=False)
    m = model.A[0].weight[SENTENCES[0]].clone()
    m[1, 2] = 0  # padding
    scores = m.sum(dim=1) @ model.B.weight[QUESTIONS[0]].sum(dim=0)
    torch.testing.assert_close(weights[0, 0], scores)
    torch.testing.assert_close(model(SENTENCES, QUESTIONS)[1][0, 0], scores.softmax(dim=0))


def test_time_noise_leaves_gaps_between_ages_but_keeps_their_order():
    torch.manual_seed(0)
    lengths = torch.tensor([10, 4])
    drawn = [ages_with_gaps(lengths, slots=12, share=0.5) for _ in range(200)]
    for ages in drawn:
        for row, length in zip(ages, (10, 4), strict=True):
            assert (row[:length].diff() > 0).all() and row[0] >= 0 and row[length - 1] < 1.5 * length
    assert len({tuple(ages[0, :10].tolist()) for ages in drawn}) > 50
    assert max(int(ages[1, 3]) for ages in drawn) == 5  # two empty ones between four, at most
    assert ages_with_gaps(lengths, 12, 0.0).tolist() == [list(range(12))] * 2


def test_time_noise_acts_in_training_only():
    model = network(time_noise=1.0)
    clean = network()(SENTENCES, QUESTIONS)[0]
    torch.testing.assert_close(model.eval()(SENTENCES, QUESTIONS)[0], clean)
    model.train()
    noisy = [model(SENTENCES, QUESTIONS)[0] for _ in range(20)]
    assert any(not torch.allclose(logits, clean) for logits in noisy)


def test_what_cannot_be_read_is_named():
    model = network()
    with pytest.raises(ValueError, match="a story has 6 sentences; allowed are up to 5"):
        model(torch.ones(2, 6, 3, dtype=torch.long), QUESTIONS)
    empty = SENTENCES.clone()
    empty[1] = 0
    with pytest.raises(ValueError, match="story 1 of the batch is empty"):
        model(empty, QUESTIONS)
    with pytest.raises(ValueError, match="question 0 of the batch is empty"):
        model(SENTENCES, torch.tensor([[0, 0], [6, 0]]))
    with pytest.raises(ValueError, match="a word has id 7; allowed are 0 to 6"):
        model(SENTENCES, QUESTIONS + 1)
    for settings, message in (
        ({"hops": 0}, "hops is 0; allowed is 1 or more"),
        ({"tying": "none"}, "tying is 'none'; allowed are 'adjacent', 'layer-wise'"),
        ({"encoding": "words"}, "encoding is 'words'; allowed are 'position', 'bag'"),
        ({"time_noise": -0.1}, "time_noise is -0.1; allowed is 0 or more"),
    ):
        with pytest.raises(ValueError, match=message):
            network(**settings)
