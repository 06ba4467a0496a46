"""Truncated backpropagation through time: the state goes on from chunk to chunk, the gradient does not.

A text of a million characters is one sequence. It is cut into `batch` streams that are read side by side,
and each stream into chunks; after each chunk the weights change (Williams and Peng 1990).
"""

from collections.abc import Callable, Iterator

from jaxtyping import Int
from torch import Tensor

from course_lib.recurrent.layer import State


def streams(tokens: Int[Tensor, "length"], batch: int) -> Int[Tensor, "batch steps"]:
    """Cut a text into equally long streams; what does not fill all of them is left out at the end.

    Raises:
        ValueError: there is less than an input and a target for each stream, or no stream.
    """
    if tokens.dim() != 1:
        raise ValueError(f"tokens have shape {tuple(tokens.shape)}; allowed is one sequence")
    if batch < 1:
        raise ValueError(f"batch is {batch}; allowed is 1 or more")
    steps = len(tokens) // batch
    if steps < 2:
        raise ValueError(f"tokens are {len(tokens)}; {batch} stream(s) need {2 * batch} or more")
    return tokens[: batch * steps].view(batch, steps)


def chunks(
    parallel: Int[Tensor, "batch steps"], size: int
) -> Iterator[tuple[Int[Tensor, "batch time"], Int[Tensor, "batch time"]]]:
    """Yield inputs and targets, the tokens one step later, in order; the last chunk may be shorter.

    Args:
        parallel: streams of tokens.
        size: steps that a gradient goes back.

    Raises:
        ValueError: the size is below 1, or a stream has no token that another one follows.
    """
    if size < 1:
        raise ValueError(f"size is {size}; allowed is 1 or more")
    last = parallel.shape[1] - 1
    if last < 1:
        raise ValueError(f"parallel has {last + 1} step(s); allowed is 2 or more, an input and a target")
    for start in range(0, last, size):
        end = min(start + size, last)
        yield parallel[:, start:end], parallel[:, start + 1 : end + 1]


def detached(state: State) -> State:
    """Return the same numbers without their history."""
    return tuple(part.detach() for part in state)


def truncated_losses(
    loss: Callable[[Tensor, Tensor, State], tuple[Tensor, State]],
    parallel: Int[Tensor, "batch steps"],
    size: int,
    state: State,
) -> Iterator[Tensor]:
    """Yield the loss of each chunk; go back through it and change the weights before asking for the next.

    Args:
        loss: (inputs, targets, state) -> (the chunk's loss, the state after it).
        parallel: streams of tokens.
        size: steps that a gradient goes back.
        state: where the first chunk starts.
    """
    for inputs, targets in chunks(parallel, size):
        value, state = loss(inputs, targets, state)
        yield value
        state = detached(state)
