from itertools import product

import pytest
import torch
from torch.nn import functional

from course_lib.seq2seq.online import OnlineRun, OnlineTransducer, online_loss

FRAMES, TARGET = torch.tensor([[2, 3, 3, 4]]), torch.tensor([[2, 4]])


@pytest.fixture
def net():
    torch.manual_seed(1)
    return OnlineTransducer(symbols=5, embedding_size=3, hidden_size=4).double()


def alignments():
    """Every way to write two symbols at four frames."""
    return [choice for choice in product([False, True], repeat=4) if sum(choice) == 2]


def written_out(net, choice):
    """Probability of one alignment and its loss, frame by frame in plain steps."""
    hidden, last, emitted = torch.zeros(4).double(), 0, 0.0
    symbols = [int(s) for s in TARGET[0]]
    probability, loss, count = torch.ones(()).double(), torch.zeros(()).double(), 0
    for t, frame in enumerate(FRAMES[0].tolist()):
        table = net.embedding.weight
        inputs = torch.cat([table[frame], table[last], torch.tensor([emitted]).double()])
        hidden = net.cell(inputs, hidden)
        p = torch.sigmoid(net.emit(hidden))[0]
        if count < 2 and 4 - t > 2 - count:  # neither done nor pressed for time
            probability = probability * (p if choice[t] else 1 - p)
        if choice[t]:
            loss = loss - functional.log_softmax(net.write(hidden), 0)[symbols[count]]
            last, count = symbols[count], count + 1
        emitted = float(choice[t])
    return probability, loss


def test_probabilities_and_losses_equal_the_steps_written_out(net):
    for choice in alignments():
        run = net(FRAMES, TARGET, torch.tensor([choice]))
        probability, loss = written_out(net, choice)
        assert torch.equal(run.emits[0], torch.tensor(choice))
        torch.testing.assert_close(run.log_probabilities.sum().exp(), probability)
        torch.testing.assert_close(run.losses.sum(), loss)


def test_the_alignments_are_all_there_is(net):
    torch.testing.assert_close(
        sum(written_out(net, choice)[0] for choice in alignments()), torch.tensor(1.0).double()
    )


@pytest.mark.parametrize("baseline", [False, True])
def test_the_gradient_is_in_the_mean_that_of_the_expected_loss_exactly(net, baseline):
    """Weigh each alignment's gradient by its probability: no sampling, no tolerance for chance."""
    trained = [*net.cell.parameters(), *net.emit.parameters(), *net.write.parameters()]
    expected = sum(p * loss for p, loss in (written_out(net, choice) for choice in alignments()))
    exact = torch.autograd.grad(expected, trained)
    mean = [torch.zeros_like(g) for g in exact]
    for choice in alignments():
        run = net(FRAMES, TARGET, torch.tensor([choice]))
        weight = run.log_probabilities.sum().exp().item()
        gradients = torch.autograd.grad(online_loss(run, baseline), trained)
        mean = [m + weight * g for m, g in zip(mean, gradients, strict=True)]
    for ours, theirs in zip(mean, exact, strict=True):
        torch.testing.assert_close(ours, theirs)
    assert max(g.abs().max() for g in exact) > 1e-3


def test_the_entropy_bonus_is_the_entropy_of_the_decisions_with_its_gradient(net):
    run = net(FRAMES, TARGET, torch.tensor([[False, True, False, True]]))
    free = run.log_probabilities != 0
    theirs = torch.distributions.Bernoulli(probs=run.probabilities[free]).entropy()
    torch.testing.assert_close(run.entropy[free], theirs)
    bonus = online_loss(run) - online_loss(run, entropy_bonus=2.0)
    ours = torch.autograd.grad(bonus, net.emit.weight, retain_graph=True)
    torch.testing.assert_close(ours, torch.autograd.grad(2 * theirs.sum(), net.emit.weight))


def test_padding_changes_nothing_and_is_never_written_at(net):
    decisions = torch.tensor([[False, True, False, False]])
    alone = net(FRAMES, TARGET, decisions)
    source = functional.pad(FRAMES, (0, 3)).repeat(2, 1)
    source[1] = torch.tensor([3, 2, 4, 3, 4, 2, 2])
    target = functional.pad(TARGET, (0, 2)).repeat(2, 1)
    together = net(source, target, functional.pad(decisions, (0, 3), value=True).repeat(2, 1))
    for one, other in zip(alone[:-1], together[:-1], strict=True):
        torch.testing.assert_close(other[0, :4], one[0])
    for part in (together.emits, together.losses, together.log_probabilities, together.entropy):
        assert part[0, 4:].count_nonzero() == 0


def test_every_symbol_is_written_once_however_the_draws_fall(net):
    source, target = torch.randint(2, 5, (50, 6)), torch.randint(2, 5, (50, 4))
    for decisions in (None, torch.zeros(50, 6).bool(), torch.ones(50, 6).bool()):
        assert (net(source, target, decisions).emits.sum(1) == 4).all()


def test_the_future_changes_no_decision_before_it(net):
    changed = FRAMES.clone()
    changed[0, 2] = 4
    decisions = torch.tensor([[True, False, True, False]])
    one, other = net(FRAMES, TARGET, decisions), net(changed, TARGET, decisions)
    assert torch.equal(one.probabilities[:, :2], other.probabilities[:, :2])
    assert not torch.equal(one.probabilities[:, 2], other.probabilities[:, 2])


def test_more_symbols_than_frames_are_refused(net):
    with pytest.raises(ValueError, match=r"target has \[2\] symbols; allowed are at most \[1\]"):
        net(torch.tensor([[2]]), TARGET)


def test_free_writing_stops_with_the_input(net):
    torch.nn.init.constant_(net.emit.bias, 9.0)  # writes wherever it can
    frames = [[t for t, _ in row] for row in net.float().transcribe(torch.tensor([[2, 3, 0], [4, 4, 2]]))]
    assert frames == [[0, 1], [0, 1, 2]]


def test_the_baseline_learns_the_cost_from_its_step_on_where_there_is_a_choice():
    losses = torch.tensor([[1.0, 2.0, 4.0], [3.0, 0.0, 0.0]])
    entropy = torch.tensor([[0.3, 0.3, 0.0], [0.3, 0.0, 0.0]])  # 0 where nothing was to be decided
    baseline = torch.zeros(2, 3, requires_grad=True)
    nothing = torch.zeros(2, 3)
    online_loss(OnlineRun(nothing.bool(), nothing, losses, nothing, entropy, baseline)).backward()
    # d/db of the mean over the batch of (b − C)², C = 7, 6 and 3
    torch.testing.assert_close(baseline.grad, torch.tensor([[-7.0, -6.0, 0.0], [-3.0, 0.0, 0.0]]))


@pytest.mark.parametrize(
    ("baseline", "expected"),
    [
        (False, [[7.0, 6.0, 4.0], [3.0, 0.0, 0.0]]),  # the cost from each step on
        (True, [[5.0, 5.0, 4.5], [2.0, 0.0, 0.0]]),  # less what was foretold
    ],
)
def test_what_was_foretold_is_taken_off_the_cost_of_a_draw(baseline, expected):
    losses = torch.tensor([[1.0, 2.0, 4.0], [3.0, 0.0, 0.0]])
    foretold = torch.tensor([[2.0, 1.0, -0.5], [1.0, 0.0, 0.0]])
    nothing, log_probabilities = torch.zeros(2, 3), torch.zeros(2, 3, requires_grad=True)
    run = OnlineRun(nothing.bool(), nothing, losses, log_probabilities, nothing, foretold)
    online_loss(run, baseline).backward()
    torch.testing.assert_close(log_probabilities.grad, torch.tensor(expected) / 2)  # mean of two rows


def test_a_batch_costs_the_mean_of_its_rows(net):
    source, target = FRAMES.repeat(3, 1), TARGET.repeat(3, 1)
    decisions = torch.tensor(alignments()[:3])
    together = online_loss(net(source, target, decisions), entropy_bonus=0.7)
    rows = [online_loss(net(FRAMES, TARGET, decisions[i : i + 1]), entropy_bonus=0.7) for i in range(3)]
    torch.testing.assert_close(together, sum(rows) / 3)


def test_padding_is_never_transcribed_even_where_it_is_the_likeliest_symbol(net):
    with torch.no_grad():
        net.emit.bias.fill_(9.0)  # write at every frame
        net.write.bias[0] = 99.0
    ((first, *others),) = net.transcribe(FRAMES)
    assert [frame for frame, _ in (first, *others)] == [0, 1, 2, 3]
    assert all(symbol > 0 for _, symbol in (first, *others))
    hidden, _ = net.step(FRAMES[:, 0], torch.tensor([0]), torch.tensor([False]), torch.zeros(1, 4).double())
    assert first[1] == 1 + int(net.write(hidden)[0, 1:].argmax())
