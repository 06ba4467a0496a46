"""Beam-search optimisation against plain loops that score every prefix anew."""

import pytest
import torch
from torch import nn

from course_lib.training.beam_search_optimisation import (
    beam_search_loss,
    find_violations,
    margin_loss,
    search_by_score,
)

PAD, BEGIN, END = 0, 1, 2
WORDS = 6  # with the three special ones


class Scorer(nn.Module):
    """A small GRU whose state starts at the source; scores of any size, of the last token."""

    def __init__(self, seed, size=5):
        super().__init__()
        torch.manual_seed(seed)
        self.embedding = nn.Embedding(WORDS, size)
        self.cell = nn.GRUCell(size, size)
        self.out = nn.Linear(size, WORDS)
        with torch.no_grad():
            for weight in self.parameters():
                weight.mul_(2.5)
        self.double()

    def step(self, tokens, state):
        (hidden,) = state
        hidden = self.cell(self.embedding(tokens), hidden)
        return self.out(hidden), (hidden,)

    def score(self, start, prefix):
        """The score of a whole sequence, from its beginning."""
        state = (start.unsqueeze(0),)
        for token in (BEGIN, *prefix[:-1]):
            scores, state = self.step(torch.tensor([token]), state)
        return scores[0, prefix[-1]]


def gold_batch(seed, count=7):
    """Sentences of 1 to 4 words with an end each, and padding behind."""
    generator = torch.Generator().manual_seed(seed)
    rows = []
    for i in range(count):
        words = torch.randint(3, WORDS, (1 + i % 4,), generator=generator).tolist()
        rows.append([*words, END, *[PAD] * (3 - i % 4)])
    return torch.tensor(rows)


def case(seed):
    model = Scorer(seed)
    gold = gold_batch(seed)
    start = torch.randn(len(gold), 5, generator=torch.Generator().manual_seed(seed)).double()
    return model, gold, (start,), torch.full((len(gold),), BEGIN)


def loop_loss(model, gold, start, size):
    """Loss of one sentence, by lists of prefixes; and at which steps it was violated, by which sequence."""
    gold = gold[: gold.index(END) + 1]
    beam, total, found = [()], 0.0, []
    for t in range(len(gold)):
        candidates = []
        for prefix in beam:
            if END in prefix:
                candidates.append(prefix)
            else:
                candidates += [(*prefix, token) for token in range(WORDS)]
        ranked = sorted(candidates, key=lambda prefix: -model.score(start, prefix).item())
        truth = tuple(gold[: t + 1])
        if t == len(gold) - 1:
            rivals = [prefix for prefix in ranked if prefix != truth][:1]
        else:
            rivals = ranked[:size][size - 1 :]
            if rivals == [truth]:
                rivals = [ranked[size - 2]]
        beam = ranked[:size]
        for rival in rivals:
            loss = 1 - model.score(start, truth) + model.score(start, rival)
            if loss > 0:
                total = total + loss
                found.append((t, rival))
                beam = [truth]
    return total, found


@pytest.mark.parametrize("size", [2, 3, 5])
@pytest.mark.parametrize("seed", range(6))
def test_loss_and_gradient_equal_a_plain_loop(seed, size):
    model, gold, state, first = case(seed)
    ours = beam_search_loss(model.step, state, first, gold, END, size)
    plain = [loop_loss(model, row.tolist(), start, size) for row, start in zip(gold, state[0], strict=True)]
    theirs = sum(loss for loss, _ in plain) / len(gold)
    assert theirs > 0
    assert ours.item() == pytest.approx(theirs.item(), rel=1e-10)
    for a, b in zip(
        torch.autograd.grad(ours, model.parameters()),
        torch.autograd.grad(theirs, model.parameters()),
        strict=True,
    ):
        torch.testing.assert_close(a, b, rtol=1e-8, atol=1e-10)


def test_violations_are_those_of_a_plain_loop_and_each_search_restarts_from_gold():
    restarted = 0
    for seed in range(6):
        model, gold, state, first = case(seed)
        found = find_violations(model.step, state, first, gold, END, 3)
        for i, start in enumerate(state[0]):
            _, expected = loop_loss(model, gold[i].tolist(), start, 3)
            assert found.violated[i].nonzero().flatten().tolist() == [t for t, _ in expected]
            begin = 0
            for t, rival in expected:
                assert rival[:begin] == tuple(gold[i, :begin].tolist())  # the search went on from gold
                assert found.wrong[i, begin : t + 1].tolist() == list(rival[begin:])
                restarted += begin > 0
                begin = t + 1
                if begin < gold.shape[1]:
                    assert found.begins[i, begin]
    assert restarted > 20


def test_gradient_equals_finite_differences_of_the_whole_search():
    model, gold, state, first = case(1)
    loss = beam_search_loss(model.step, state, first, gold, END, 3)
    gradients = torch.autograd.grad(loss, model.parameters())
    for weight, gradient in zip(model.parameters(), gradients, strict=True):
        for index in range(0, weight.numel(), 7):
            values = []
            for shift in (1e-6, -1e-6):
                with torch.no_grad():
                    weight.view(-1)[index] += shift
                    values.append(beam_search_loss(model.step, state, first, gold, END, 3).item())
                    weight.view(-1)[index] -= shift
            assert gradient.flatten()[index].item() == pytest.approx((values[0] - values[1]) / 2e-6, abs=1e-6)


def table(true_scores, others):
    """A step that gives the gold word of step t one score, and every other word of a gold prefix another.

    The state is (step, whether all was gold); after a wrong word all scores are −9.
    """

    def step(tokens, state):
        t, on_gold = state
        on_gold = on_gold & ((t == 0) | (tokens == GOLD[(t - 1).clamp(min=0)]))
        scores = torch.full((len(tokens), WORDS), -9.0)
        for row in range(len(tokens)):
            if on_gold[row]:
                scores[row] = others[int(t[row])]
                scores[row, GOLD[t[row]]] = true_scores[int(t[row])]
        return scores, (t + 1, on_gold)

    return step, (torch.zeros(1, dtype=torch.long), torch.ones(1, dtype=torch.bool)), torch.tensor([BEGIN])


GOLD = torch.tensor([3, 4, 5, END])


@pytest.mark.parametrize(("lead", "loss"), [(1.0, 0.0), (1.5, 0.0), (0.75, 4 * 0.25), (-2.0, 4 * 3.0)])
def test_loss_is_zero_exactly_when_gold_leads_by_the_margin(lead, loss):
    step, state, first = table([2.0 + lead] * 4, [2.0] * 4)
    assert beam_search_loss(step, state, first, GOLD.unsqueeze(0), END, 2).item() == pytest.approx(loss)


def test_in_the_middle_gold_may_be_second_but_at_the_end_it_must_be_first():
    def step(tokens, state):  # word 4 scores more than the gold word 3, all others far less; then the end
        (t,) = state
        scores = torch.full((len(tokens), WORDS), -9.0)
        for row, token in enumerate(tokens.tolist()):
            if t[row] == 0:
                scores[row, 3], scores[row, 4] = 5.0, 6.0
            else:
                scores[row, END] = {3: 5.0, 4: 6.0}.get(token, -9.0)
        return scores, (t + 1,)

    gold = torch.tensor([[3, END]])
    arguments = (step, (torch.zeros(1),), torch.tensor([BEGIN]), gold, END, 3)
    found = find_violations(*arguments)
    assert found.violated.tolist() == [[False, True]]
    assert found.wrong.tolist() == [[4, END]]
    assert beam_search_loss(*arguments).item() == pytest.approx(1 - 5 + 6)


def test_an_early_end_keeps_its_score_and_is_the_rival_at_the_last_step():
    def step(tokens, state):
        (t,) = state
        scores = torch.full((len(tokens), WORDS), -9.0)
        for row in range(len(tokens)):
            if t[row] == 0:
                scores[row, 3], scores[row, END] = 5.0, 7.0
            else:
                scores[row, END] = 5.0
        return scores, (t + 1,)

    gold = torch.tensor([[3, END]])
    arguments = (step, (torch.zeros(1),), torch.tensor([BEGIN]), gold, END, 3)
    found = find_violations(*arguments)
    assert found.violated.tolist() == [[False, True]]
    assert found.wrong.tolist() == [[END, END]]
    assert beam_search_loss(*arguments).item() == pytest.approx(1 - 5 + 7)


def test_padding_and_neighbours_change_nothing():
    model, gold, (start,), first = case(3)
    together = beam_search_loss(model.step, (start,), first, gold, END, 4)
    alone = [
        beam_search_loss(
            model.step,
            (start[i : i + 1],),
            first[:1],
            gold[i : i + 1, : int((gold[i] != PAD).sum())],
            END,
            4,
        )
        for i in range(len(gold))
    ]
    assert together.item() == pytest.approx(torch.stack(alone).mean().item(), rel=1e-12)


def test_forbidden_words_are_no_rivals_and_leave_the_gradient_finite():
    model, gold, state, first = case(4)
    allowed = torch.zeros(WORDS, dtype=torch.bool)
    allowed[[3, END]] = True
    gold = torch.tensor([[3, 3, END], [3, END, PAD]])
    state = (state[0][:2],)

    def step(tokens, state):
        scores, state = model.step(tokens, state)
        return scores.masked_fill(~allowed, -torch.inf), state

    found = find_violations(step, state, first[:2], gold, END, 5)
    assert set(found.wrong.flatten().tolist()) <= {3, END, PAD}
    loss = margin_loss(step, state, first[:2], gold, END, found)
    gradients = torch.autograd.grad(loss, model.parameters())
    assert loss.isfinite() and all(gradient.isfinite().all() for gradient in gradients)
    with pytest.raises(ValueError, match="step forbids the gold token of step 0"):
        find_violations(step, state, first[:2], torch.tensor([[4, END], [3, END]]), END, 5)


def test_search_with_room_for_all_finds_the_best_of_all_sequences():
    for seed in range(4):
        model, _, (start,), first = case(seed)
        found = search_by_score(model.step, (start,), first, END, 3, WORDS**3)
        for i, sequence in enumerate(found):
            everything = [(END,)]
            words = [w for w in range(WORDS) if w != END]
            everything += [(a, END) for a in words] + [(a, b, END) for a in words for b in words]
            best = max(everything, key=lambda prefix: model.score(start[i], prefix).item())
            assert sequence.tokens == best
            assert sequence.score == pytest.approx(model.score(start[i], best).item())
            assert sequence.finished


def test_a_beam_of_one_takes_the_best_word_each_time_and_says_where_it_was_cut_off():
    model, _, (start,), first = case(2)
    for sequence, row in zip(search_by_score(model.step, (start,), first, END, 6, 1), start, strict=True):
        prefix = ()
        while len(prefix) < 6 and END not in prefix:
            prefix = max(
                ((*prefix, w) for w in range(WORDS)), key=lambda longer: model.score(row, longer).item()
            )
        assert sequence.tokens == prefix
        assert sequence.finished == (prefix[-1] == END)


def test_bad_input_is_named():
    model, gold, state, first = case(0)
    with pytest.raises(ValueError, match="beam_size is 1; allowed is 2 or more"):
        find_violations(model.step, state, first, gold, END, 1)
    with pytest.raises(ValueError, match="a row of gold has no 2"):
        find_violations(model.step, state, first, gold[:, :1], END, 2)
    with pytest.raises(ValueError, match="first holds 2"):
        find_violations(model.step, state, first * 0 + END, gold, END, 2)
    with pytest.raises(ValueError, match="max_length is 0"):
        search_by_score(model.step, state, first, END, 0, 2)
    with pytest.raises(ValueError, match="beam_size is 0"):
        search_by_score(model.step, state, first, END, 2, 0)
