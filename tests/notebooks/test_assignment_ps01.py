"""The model answers of the recurrent paper against torch and the library, and what a student reads."""

import pytest
import torch
from assignment import functions, read, run_with_answer
from torch import nn
from torch.nn import functional

from course_lib.recurrent.bptt import Weights, backward, forward
from course_lib.recurrent.gradients import vanishing_penalty

BATCH, TIME, INPUT, HIDDEN, CLASSES = 3, 6, 4, 5, 7


@pytest.fixture(scope="module")
def paper():
    """The functions of the solved paper."""
    return functions("ps01_rnn")


def random(*sizes, seed=0):
    return torch.randn(*sizes, dtype=torch.float64, generator=torch.Generator().manual_seed(seed))


@pytest.fixture
def weights():
    return Weights(
        random(HIDDEN, INPUT, seed=1),
        random(HIDDEN, HIDDEN, seed=2),
        random(CLASSES, HIDDEN, seed=3),
        random(HIDDEN, seed=4),
        random(BATCH, HIDDEN, seed=5),
    )


@pytest.fixture
def targets():
    return torch.randint(CLASSES, (BATCH, TIME), generator=torch.Generator().manual_seed(6))


def test_the_states_are_torchs(paper, weights):
    layer = nn.RNN(INPUT, HIDDEN, batch_first=True, dtype=torch.float64)
    parts = (weights.W_xh, weights.W_hh, weights.b, torch.zeros_like(weights.b))
    with torch.no_grad():
        for parameter, value in zip(layer.parameters(), parts, strict=True):
            parameter.copy_(value)
    x = random(BATCH, TIME, INPUT)
    expected, _ = layer(x, weights.h_0.unsqueeze(0))
    states = paper.rnn_states(x, weights.h_0, weights.W_xh, weights.W_hh, weights.b)
    torch.testing.assert_close(states, expected)


def test_the_losses_are_torchs_over_the_real_steps(paper, targets):
    logits, lengths = random(BATCH, TIME, CLASSES), torch.tensor([TIME, 1, 3])
    last = torch.stack([logits[i, n - 1] for i, n in enumerate(lengths)])
    one = paper.many_to_one_loss(logits, targets[:, 0], lengths)
    torch.testing.assert_close(one, functional.cross_entropy(last, targets[:, 0]))
    marked = targets.clone()
    marked[1, 1:] = marked[2, 3:] = -100
    many = paper.many_to_many_loss(logits, targets, lengths)
    torch.testing.assert_close(many, functional.cross_entropy(logits.transpose(1, 2), marked))


def test_the_way_back_is_autograds_and_the_librarys(paper, weights, targets):
    x = random(BATCH, TIME, INPUT)
    leaves = Weights(*(weight.requires_grad_() for weight in weights))
    seen = forward(leaves, x, targets)
    expected = torch.autograd.grad(seen.loss, leaves)
    with torch.no_grad():
        found = paper.bptt(
            x, targets, weights.h_0, seen.states, seen.probabilities, weights.W_hh, weights.W_hy
        )
        library = backward(weights, x, targets, seen).gradients
    for ours, autograds, librarys in zip(found, expected, library, strict=True):
        torch.testing.assert_close(ours, autograds, rtol=0, atol=1e-10)
        torch.testing.assert_close(ours, librarys, rtol=0, atol=1e-10)


def test_the_papers_own_check_finds_a_wrong_gradient_and_lets_a_right_one_pass(paper, weights, targets):
    x = random(BATCH, TIME, INPUT)
    seen = forward(weights, x, targets)
    _, d_W_hh, *_ = paper.bptt(
        x, targets, weights.h_0, seen.states, seen.probabilities, weights.W_hh, weights.W_hy
    )
    numbers = paper.numerical_gradient(
        lambda W: forward(weights._replace(W_hh=W), x, targets).loss, weights.W_hh
    )
    assert paper.gradient_error(numbers, d_W_hh) < 1e-6
    assert paper.gradient_error(numbers, d_W_hh.T) > 1e-3


def test_the_norms_are_those_of_autograd(paper, weights):
    x = random(BATCH, TIME, INPUT)
    h, states = weights.h_0.requires_grad_(), []
    for x_t in x.unbind(1):
        h = torch.tanh(x_t @ weights.W_xh.T + h @ weights.W_hh.T + weights.b)
        states.append(h)
    d_last = random(BATCH, HIDDEN, seed=7)
    flow = torch.stack(torch.autograd.grad(h, states, d_last), dim=1)
    norms = paper.flow_norms(torch.stack(states, dim=1).detach(), d_last, weights.W_hh)
    torch.testing.assert_close(norms, flow.norm(dim=-1))


@pytest.mark.parametrize("threshold", [0.5, 1000.0])
def test_clipping_is_torchs(paper, threshold):
    ours, theirs = (
        [random(3, 4), None, random(5, seed=1)],
        [nn.Parameter(random(3, 4)), nn.Parameter(random(5))],
    )
    for parameter, gradient in zip(theirs, (ours[0], ours[2]), strict=True):
        parameter.grad = gradient.clone()
    norm = nn.utils.clip_grad_norm_(theirs, threshold)
    assert paper.clip(ours, threshold) == pytest.approx(float(norm))
    for parameter, gradient in zip(theirs, (ours[0], ours[2]), strict=True):
        torch.testing.assert_close(gradient, parameter.grad, rtol=1e-5, atol=0)  # torch adds 1e-6 to the norm


def test_the_penalty_and_its_gradient_are_the_librarys(paper):
    W_hh = random(HIDDEN, HIDDEN).requires_grad_()
    errors, slopes = random(BATCH, TIME, HIDDEN, seed=1), random(BATCH, TIME, HIDDEN, seed=2).sigmoid()
    errors[0, 3] = 0
    expected = vanishing_penalty(W_hh, errors, slopes)
    expected.backward()
    penalty, gradient = paper.penalty_and_gradient(W_hh.detach(), errors, slopes)
    torch.testing.assert_close(penalty, expected.detach())
    torch.testing.assert_close(gradient, W_hh.grad)


def test_the_model_answer_says_what_the_table_shows(paper):
    names = vars(paper)
    [table] = [cell.source for cell in read("ps01_rnn").cells if cell.id == "ps01-live-table"]

    def share(radius, size):
        "Of the gradient 100 steps back."
        names_of_one_row = dict(names)
        one = table.replace("(0.5, 0.9, 1.0, 1.1, 1.5, 3.0)", f"({radius},)")
        exec(one.replace("(0.001, 1.0)", f"({size},)"), names_of_one_row)
        return float(names_of_one_row["norms"][0] / names_of_one_row["norms"][-1])

    assert share(0.9, 0.001) < 1e-5
    assert share(3.0, 0.001) > 1e6
    assert share(1.1, 1.0) < 1e-9


@pytest.mark.usefixtures("warm_kernels")
def test_a_student_who_forgets_the_slope_reads_it(tmp_path):
    answer = (
        "def flow_norms(states, d_last, W_hh):\n"
        "    norms = [d_last.norm(dim=-1)]\n"
        "    for _ in range(states.shape[1] - 1):\n"
        "        d_last = d_last @ W_hh\n"
        "        norms.insert(0, d_last.norm(dim=-1))\n"
        "    return torch.stack(norms, dim=1)"
    )
    outputs = run_with_answer(read("ps01_rnn"), "ps01-flow", answer, tmp_path)
    [shown] = outputs["ps01-flow-visible"]
    assert shown.evalue == (
        "flow_norms, on the example of the text: the norms[batch 0, step 0] should be 10.8167, got 11.6619. "
        "The slope of the tanh is missing: 1 − h²."
    )
    assert " ".join(shown.traceback) == f"CheckError: {shown.evalue}"
    [shown] = outputs["ps01-flow-hidden"]
    assert " ".join(shown.traceback) == f"CheckError: {shown.evalue}"
