"""The model answers of the paper on CTC against the library, and what a student reads."""

import pytest
import torch
from assignment import functions, read, run_with_answer

from course_lib.decoding.ctc_search import prefix_search
from course_lib.seq2seq.ctc import collapse, lattice


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
