"""The model answers of the paper on memories against the library, and what a student reads."""

import pytest
import torch
from assignment import functions, read, run_with_answer

from course_lib.memory.dnc import allocation
from course_lib.memory.end_to_end import MemoryNetwork
from course_lib.memory.turing_machine import content_weights, sharpen, shift


@pytest.fixture(scope="module")
def paper():
    """The functions of the solved paper."""
    return functions("ps07_memory")


def random(*sizes, seed=0):
    return torch.randn(*sizes, dtype=torch.float64, generator=torch.Generator().manual_seed(seed))


def test_a_hop_over_encoded_sentences_is_the_librarys_network(paper):
    torch.manual_seed(0)
    network = MemoryNetwork(vocabulary=9, size=4, hops=1, temporal=False).double()
    story = torch.tensor([[[1, 2, 3], [4, 5, 0], [0, 0, 0]], [[6, 0, 0], [7, 8, 1], [2, 2, 5]]])
    question = torch.tensor([[3, 1], [8, 0]])
    logits, (p,) = network(story, question)[0], network(story, question)[1].unbind(1)

    def encode(table, ids):
        words = table(ids).flatten(0, -3)
        return paper.encode(words, (ids != 0).sum(dim=-1).flatten()).reshape(*ids.shape[:-1], -1)

    ours, after = paper.hop(
        encode(network.B, question),
        encode(network.A[0], story),
        encode(network.C[0], story),
        (story != 0).any(dim=-1),
    )
    torch.testing.assert_close(ours, p)
    torch.testing.assert_close(after @ network.W.weight.T, logits)


@pytest.mark.parametrize(("rows", "shares"), [(6, 3), (5, 5), (4, 1)])
def test_a_shift_is_the_librarys(paper, rows, shares):
    w, s = random(3, rows).softmax(dim=1), random(3, shares, seed=1).softmax(dim=1)
    torch.testing.assert_close(paper.shift(w, s), shift(w, s))


def test_sharpening_is_the_librarys_where_no_weight_is_tiny(paper):
    w, power = random(3, 6).softmax(dim=1), torch.tensor([1.0, 2.5, 30.0], dtype=torch.float64)
    torch.testing.assert_close(paper.sharpen(w, power), sharpen(w, power), rtol=1e-4, atol=1e-6)


def test_a_look_up_by_content_is_the_librarys(paper):
    memory, key, strength = random(3, 6, 4), random(3, 4, seed=1), random(3, seed=2).exp()
    memory[0, 2] = 0
    torch.testing.assert_close(paper.look_up(memory, key, strength), content_weights(memory, key, strength))


def test_the_allocation_is_the_librarys_also_for_equal_rows(paper):
    usage = random(4, 7).sigmoid()
    usage[0, 2:5] = usage[0, 0]
    usage[1] = 1
    torch.testing.assert_close(paper.allocate(usage), allocation(usage))


@pytest.mark.usefixtures("warm_kernels")
def test_a_student_who_shifts_backwards_reads_it(tmp_path):
    answer = (
        "def shift(w, s):\n"
        "    steps, rows = s.shape[1], w.shape[1]\n"
        "    if steps % 2 == 0 or steps > rows:\n"
        '        raise ValueError("shares")\n'
        "    return sum(s[:, [i]] * w.roll(steps // 2 - i, dims=1) for i in range(steps))"
    )
    outputs = run_with_answer(read("ps07_memory"), "ps07-shift", answer, tmp_path)
    [shown] = outputs["ps07-shift-visible"]
    assert shown.evalue == (
        "shift, on the example of the text: the weights[batch 0, row 0] should be 0.46, got 0.5. "
        "The direction is wrong: the last share moves on, to higher rows."
    )
