"""Cut examples into batches of similar length, so that little padding is computed."""

from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

import torch
from jaxtyping import Int
from torch import Tensor

Ids = list[int]


class Batch(NamedTuple):
    """Padded token ids of sentence pairs."""

    source: Int[Tensor, "batch source"]
    target: Int[Tensor, "batch target"]


def pad(sequences: Sequence[Ids], pad_id: int) -> Int[Tensor, "batch longest"]:
    """Stack id lists into one tensor, short ones filled at the end."""
    longest = max(map(len, sequences))
    return torch.tensor([ids + [pad_id] * (longest - len(ids)) for ids in sequences], dtype=torch.long)


def neighbours(lengths: Sequence[Any], size: int, seed: int | None = None) -> Iterator[list[int]]:
    """Yield the places of all examples, `size` at a time, neighbours in length together.

    Args:
        lengths: of the examples; numbers, or anything else that has an order.
        size: examples in a batch, at least 1.
        seed: draws the order of batches and which examples meet; None keeps the order of length.

    Raises:
        ValueError: `size` is below 1.
    """
    if size < 1:
        raise ValueError(f"size is {size}; allowed is 1 or more")
    order = list(range(len(lengths)))
    if seed is not None:
        generator = torch.Generator().manual_seed(seed)
        order = torch.randperm(len(lengths), generator=generator).tolist()
    order.sort(key=lengths.__getitem__)  # stable: equal lengths stay shuffled
    starts = list(range(0, len(order), size))
    if seed is not None:
        starts = [starts[i] for i in torch.randperm(len(starts), generator=generator).tolist()]
    for start in starts:
        yield order[start : start + size]


def length_batches(
    pairs: Sequence[tuple[Ids, Ids]], size: int, pad_id: int, seed: int | None = None
) -> Iterator[Batch]:
    """Yield all pairs, `size` at a time, neighbours in length together.

    Args:
        pairs: source and target ids.
        size: pairs in a batch, at least 1.
        pad_id: what fills short sentences.
        seed: draws the order of batches and which pairs meet; None keeps the order of length.

    Raises:
        ValueError: `size` is below 1.
    """
    for places in neighbours([(len(source), len(target)) for source, target in pairs], size, seed):
        chosen = [pairs[i] for i in places]
        yield Batch(pad([s for s, _ in chosen], pad_id), pad([t for _, t in chosen], pad_id))
