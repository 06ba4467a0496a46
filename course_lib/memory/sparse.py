"""Sparse reading: a head that looks at the k rows nearest to what it asks, and at no other.

    S = the k rows i with the largest q · M_i
    w = softmax(q · M_i) over S, 0 elsewhere
    r = Σ_{i in S} w_i M_i

A softmax over many rows gives most of them next to nothing, so leaving them out changes little. What is left
out costs nothing: neither in the sum, nor in the gradient, which reaches k rows, however large the memory. To
find the rows exactly still takes a product with each; the paper finds them roughly, by an index in time that
grows like the logarithm of the rows.

(Rae et al. 2016, section 3.1. Rows of length 1 make q · M_i their cosine times a strength, as in the neural
Turing machine.)
"""

import torch
from jaxtyping import Float, Int
from torch import Tensor

PRODUCTS = 6  # of a row in use: with the query and with its weight, and for each of these two in the gradient


def nearest_rows(
    memory: Float[Tensor, "batch rows size"], query: Float[Tensor, "batch size"], count: int
) -> Int[Tensor, "batch {count}"]:
    """Return the places of the rows with the largest q · M_i, the nearest first.

    Args:
        memory: M.
        query: q.
        count: k, 1 to rows.

    Raises:
        ValueError: there are not so many rows.
    """
    check_count(count, memory.shape[1])
    with torch.no_grad():
        return torch.einsum("brs,bs->br", memory, query).topk(count, dim=1).indices


def sparse_read(
    memory: Float[Tensor, "batch rows size"], query: Float[Tensor, "batch size"], count: int
) -> tuple[Float[Tensor, "batch size"], Float[Tensor, "batch rows"]]:
    """Return r and w.

    Args:
        memory: M.
        query: q.
        count: k, 1 to rows.

    Returns:
        what was read, and weights in [0, 1] with sum 1: exactly 0 but at the k nearest rows.

    Raises:
        ValueError: there are not so many rows.
    """
    places = nearest_rows(memory, query, count)
    near = memory.gather(1, places.unsqueeze(-1).expand(*places.shape, memory.shape[-1]))
    weights = torch.einsum("bks,bs->bk", near, query).softmax(dim=1)
    found = torch.einsum("bk,bks->bs", weights, near)
    return found, memory.new_zeros(memory.shape[:2]).scatter(1, places, weights)


def multiply_adds(rows: int, size: int, count: int) -> int:
    """Return the multiplications, each with an addition, of one sparse read and its gradient.

    The search takes rows · size; what is found takes 6 · count · size. Reading all rows takes no search and
    6 · rows · size.

    Args:
        rows: of the memory.
        size: features of a row.
        count: k, 1 to rows.

    Raises:
        ValueError: there are not so many rows.
    """
    check_count(count, rows)
    return rows * size + PRODUCTS * count * size


def check_count(count: int, rows: int) -> None:
    """Raise ValueError unless count is 1 to rows."""
    if not 1 <= count <= rows:
        raise ValueError(f"count is {count}; allowed is 1 to {rows}, the rows of the memory")
