"""The model answers of the paper on paths and looks against the library, and what a student reads."""

import pytest
import torch
from assignment import functions, read, run_with_answer

from course_lib.attention.hard import sequence_surrogate
from course_lib.decoding.ctc_search import prefix_search
from course_lib.seq2seq.ctc import collapse, lattice
from course_lib.visual_attention import SoftAttentionDecoder, doubly_stochastic_penalty
from course_lib.visual_attention.retina import glimpse


@pytest.fixture(scope="module")
def paper():
    """The functions of the solved paper."""
    return functions("ps06_ctc_captions")


def said(time, classes=4, seed=0):
    generator = torch.Generator().manual_seed(seed)
    return torch.randn(time, classes, dtype=torch.float64, generator=generator).log_softmax(1)


def test_the_labels_of_segments_are_the_librarys_and_tile_what_is_no_blank(paper):
    path = torch.randint(0, 3, (200,), generator=torch.Generator().manual_seed(0)).tolist()
    found = paper.segments(path)
    assert [label for label, *_ in found] == collapse(path)
    covered = [step for label, start, end in found for step in range(start, end) if path[step] == label]
    assert covered == [step for step, label in enumerate(path) if label]


@pytest.mark.parametrize("y", [[1, 2, 2, 3], [3], []])
def test_the_shares_are_the_librarys(paper, y):
    log_probs = said(40)
    total, gamma = paper.shares(log_probs, y)
    summed = lattice(
        log_probs[None], torch.tensor([y], dtype=torch.long), torch.tensor([40]), torch.tensor([len(y)])
    )
    torch.testing.assert_close(total, summed.log_likelihood[0])
    ours = torch.zeros_like(log_probs).scatter_add(1, summed.states.expand(40, -1), summed.posterior()[0])
    torch.testing.assert_close(gamma, ours)


@pytest.mark.parametrize("size", [3, 1000])
def test_step_by_step_it_is_the_librarys_search(paper, size):
    log_probs = said(6, 3, seed=1)
    beam = {(): (1.0, 0.0)}
    for row in log_probs.exp().tolist():
        beam = paper.extend(beam, row, size)
    library = {one.labels: one.log_prob for one in prefix_search(log_probs, size)}
    assert {prefix: torch.tensor(sum(both)).log().item() for prefix, both in beam.items()} == pytest.approx(
        library, abs=1e-5
    )


def random(*sizes, seed=0):
    return torch.randn(*sizes, dtype=torch.float64, generator=torch.Generator().manual_seed(seed))


def test_a_look_is_the_librarys_decoders(paper):
    torch.manual_seed(0)
    decoder = SoftAttentionDecoder(features=3, embedding_size=2, hidden_size=4, attention_size=5).double()
    torch.nn.init.zeros_(decoder.gate.bias)
    seen = []
    decoder.cell.register_forward_pre_hook(
        lambda cell, given: seen.append(given[0][:, 2:])
    )  # behind the word
    state = decoder.start(random(6, 7, 3))
    step = decoder(random(6, 2, seed=1), state)
    attention = decoder.attention
    z, alpha = paper.look(
        state.annotations,
        state.hidden,
        attention.W.weight,
        attention.U.weight,
        attention.v.weight[0],
        decoder.gate.weight[0],
    )
    torch.testing.assert_close(alpha, step.weights)
    torch.testing.assert_close(z, seen[0])


def test_the_penalty_is_the_librarys(paper):
    alpha, lengths = random(4, 5, 6).softmax(dim=2), torch.tensor([5, 0, 3, 1])
    real = torch.arange(5) < lengths[:, None]
    torch.testing.assert_close(paper.penalty(alpha, lengths), doubly_stochastic_penalty(alpha, real))


def test_the_loss_of_drawn_looks_and_its_gradients_are_the_librarys(paper):
    def found(function):
        given = [random(4, 5, seed=seed).requires_grad_() for seed in range(3)]
        value = function(*given)
        value.backward()
        return value, given[0].grad, given[1].grad, given[2].grad

    for ours, library in zip(found(paper.surrogate), found(sequence_surrogate), strict=True):
        assert (ours is None) == (library is None)
        if ours is not None:
            torch.testing.assert_close(ours, library)


def test_a_glimpse_is_the_librarys(paper):
    picture, places = random(23, 37), random(40, 2, seed=1)  # some places lie outside
    for place in places:
        library = glimpse(picture[None], place[None], size=5, scales=3)[0]
        torch.testing.assert_close(paper.glimpse(picture, tuple(place.tolist()), 5, 3), library)


@pytest.mark.usefixtures("warm_kernels")
def test_a_student_whose_baseline_takes_a_gradient_reads_it(tmp_path):
    answer = (
        "def surrogate(losses, log_chances, baselines):\n"
        "    to_go = losses.flip(1).cumsum(dim=1).flip(1)\n"
        "    weight = to_go.detach() - baselines\n"
        "    return (losses + weight * log_chances).sum(dim=1).mean()"
    )
    outputs = run_with_answer(read("ps06_ctc_captions"), "ps06-surrogate", answer, tmp_path)
    assert not [shown for shown in outputs["ps06-surrogate-visible"] if shown.output_type == "error"]
    [shown] = outputs["ps06-surrogate-hidden"]
    assert shown.evalue.startswith(
        "surrogate, with a baseline that has a gradient: the gradient by the baseline"
    )
    assert "No gradient of S may reach the baseline" in shown.evalue


@pytest.mark.usefixtures("warm_kernels")
def test_a_student_who_drops_blanks_first_reads_it(tmp_path):
    answer = (
        "def segments(path):\n"
        "    found = []\n"
        "    for step, label in enumerate(path):\n"
        "        if label and found and found[-1][0] == label:\n"
        "            found[-1] = (label, found[-1][1], step + 1)\n"
        "        elif label:\n"
        "            found.append((label, step, step + 1))\n"
        "    return found"
    )
    outputs = run_with_answer(read("ps06_ctc_captions"), "ps06-segments", answer, tmp_path)
    [shown] = outputs["ps06-segments-visible"]
    assert shown.evalue == (
        "segments, on the example of the text: the labels should be [1, 1, 2], got [1, 2]. "
        "Join repeats first, then drop blanks: a blank keeps two equal labels apart."
    )
