import pytest
import torch
from torch.utils.flop_counter import FlopCounterMode

from course_lib.attention.scores import DotAttention
from course_lib.memory.sparse import multiply_adds, nearest_rows, sparse_read


def memory_and_query(rows=9, size=4, batch=3):
    generator = torch.Generator().manual_seed(0)
    return (
        torch.randn(batch, rows, size, dtype=torch.float64, generator=generator),
        torch.randn(batch, size, dtype=torch.float64, generator=generator),
    )


def full_read(memory, query):
    return DotAttention()(query, memory, torch.ones(memory.shape[:2], dtype=torch.bool))


def counted(run):
    """Multiply-adds of run and of its gradient, counted by torch: two operations each."""
    with FlopCounterMode(display=False) as counter:
        run().sum().backward()
    return counter.get_total_flops() // 2


def test_reading_all_rows_is_the_full_read():
    memory, query = memory_and_query()
    torch.testing.assert_close(sparse_read(memory, query, count=9), full_read(memory, query))


@pytest.mark.parametrize("count", [1, 4])
def test_reading_some_rows_is_the_full_read_of_a_memory_with_no_others(count):
    memory, query = memory_and_query()
    found, weights = sparse_read(memory, query, count)
    for i in range(3):
        scores = [float(row @ query[i]) for row in memory[i]]
        near = sorted(range(9), key=lambda row, scores=scores: -scores[row])[:count]
        assert nearest_rows(memory, query, count)[i].tolist() == near
        expected, shares = full_read(memory[i : i + 1, near], query[i : i + 1])
        torch.testing.assert_close(found[i], expected[0])
        torch.testing.assert_close(weights[i, near], shares[0])
        assert int(weights[i].count_nonzero()) == count


def test_only_the_rows_that_were_read_get_a_gradient():
    memory, query = memory_and_query()
    memory.requires_grad_()
    found, weights = sparse_read(memory, query, count=2)
    found.square().sum().backward()
    assert torch.equal(memory.grad.abs().sum(dim=-1) > 0, weights > 0)


def test_gradients_are_those_of_finite_differences():
    inputs = tuple(part.requires_grad_() for part in memory_and_query())
    assert torch.autograd.gradcheck(lambda memory, query: sparse_read(memory, query, count=3), inputs)


def test_what_a_sparse_read_saves_is_what_torch_counts():
    rows, size, count = 256, 8, 4
    memory, query = (part.requires_grad_() for part in memory_and_query(rows, size, batch=1))
    full = counted(lambda: full_read(memory, query)[0])
    sparse = counted(lambda: sparse_read(memory, query, count)[0])
    assert full == 6 * rows * size
    assert sparse == multiply_adds(rows, size, count) == 256 * 8 + 6 * 4 * 8


@pytest.mark.parametrize("count", [0, 10])
def test_more_rows_than_there_are_cannot_be_read(count):
    for read in (nearest_rows, sparse_read):
        with pytest.raises(ValueError, match=f"count is {count}; allowed is 1 to 9"):
            read(*memory_and_query(), count)
    with pytest.raises(ValueError, match=f"count is {count}; allowed is 1 to 9"):
        multiply_adds(9, 4, count)
