"""The record of a lattice: what CTC sums for some labellings of one input, to be looked at."""

from collections.abc import Sequence

import numpy as np
import torch
from jaxtyping import Float, Int
from torch import Tensor

from course_lib.data.batches import pad
from course_lib.seq2seq.ctc import BLANK, lattice
from course_lib.traces import LatticeTrace


def record_lattice(
    log_probs: Float[Tensor, "time classes"],
    labellings: Sequence[Sequence[int]],
    classes: Sequence[str],
    picture: np.ndarray | None = None,
    title: str = "",
) -> LatticeTrace:
    """Sum over the paths of each labelling, and keep the sums.

    Args:
        log_probs: what the network says of one input, the blank at 0.
        labellings: labels, one labelling or more.
        classes: what each label is.
        picture: see `LatticeTrace`.
        title: likewise.

    Raises:
        ValueError: see `lattice`.
    """
    lengths = torch.tensor([len(labels) for labels in labellings])
    targets = pad([list(labels) for labels in labellings], BLANK)
    said = log_probs.double()
    steps = torch.full_like(lengths, len(said))
    summed = lattice(said.expand(len(labellings), -1, -1), targets, steps, lengths)
    states = np.where(
        np.arange(summed.states.shape[1]) <= 2 * lengths.numpy()[:, None], summed.states.numpy(), -1
    )
    return LatticeTrace(
        said.exp().numpy(),
        tuple(classes),
        tuple("".join(classes[label] for label in labels) for labels in labellings),
        states,
        summed.forward.numpy(),
        summed.backward.numpy(),
        np.stack([likeliest_path(said.numpy(), row[row >= 0]) for row in states]),
        summed.log_likelihood.numpy(),
        picture,
        title,
    )


def likeliest_path(
    log_probs: Float[np.ndarray, "time classes"], states: Int[np.ndarray, "states"]
) -> Int[np.ndarray, "time"]:
    """Return the state at each step of the likeliest path through a lattice (Viterbi: max in place of sum).

    Args:
        log_probs: of each label at each step.
        states: the label of each state, blanks between.
    """
    may_jump = np.array([s > 1 and label not in (BLANK, states[s - 2]) for s, label in enumerate(states)])
    score = np.where(np.arange(len(states)) < 2, log_probs[0, states], -np.inf)
    came_from = []
    for step in log_probs[1:]:
        ways = np.full((3, len(states)), -np.inf)  # stay, move on, jump over a blank
        for far in range(min(3, len(states))):
            ways[far, far:] = score[: len(states) - far]
        ways[2, ~may_jump] = -np.inf
        came_from.append(ways.argmax(axis=0))
        score = ways.max(axis=0) + step[states]
    path = [len(states) - 1 - int(len(states) > 1 and score[-2] > score[-1])]
    for moves in reversed(came_from):
        path.append(path[-1] - int(moves[path[-1]]))
    return np.array(path[::-1])
