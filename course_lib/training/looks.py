"""Fit a look to a trained translator: only the look's own numbers move, encoder and decoder stay."""

from collections.abc import Iterable, Sequence

import torch
from torch import Tensor, nn

from course_lib.attention.hard import cost_to_go, sequence_surrogate
from course_lib.data.batches import Batch
from course_lib.seq2seq.looks import Look, look_with
from course_lib.seq2seq.model import EncoderDecoder
from course_lib.training.loop import train_steps


def fit_look(
    model: EncoderDecoder,
    look: Look,
    parameters: Iterable[nn.Parameter],
    batches: Iterable[Batch],
    learning_rate: float,
    rival: Look | None = None,
) -> None:
    """Train some parameters of a look on the next-token loss (Adam, one update a batch).

    A look that draws is trained by the score function; its baseline is the cost to go of a rival.

    Args:
        model: a translator of Luong's, in evaluation mode; it is not changed.
        look: what is trained.
        parameters: its parameters.
        batches: source and target tokens.
        learning_rate: of Adam.
        rival: another look, which draws nothing; a look that draws needs one.
    """
    model.requires_grad_(False)
    parameters = list(parameters)
    optimizer = torch.optim.Adam(parameters, lr=learning_rate)
    for parameter in parameters:
        parameter.requires_grad_()

    def loss(batch: Batch) -> Tensor:
        looked = look_with(model, look, *batch)
        if looked.log_probabilities is None or rival is None:
            return looked.losses.sum(1).mean()
        baseline = cost_to_go(look_with(model, rival, *batch).losses)
        return sequence_surrogate(looked.losses, looked.log_probabilities, baseline)

    for _ in train_steps(map(loss, batches), optimizer):
        pass


@torch.no_grad()
def mean_loss(model: EncoderDecoder, look: Look, batches: Sequence[Batch]) -> float:
    """Return nats a token of a translator with this look, the true words given (teacher forcing)."""
    losses = [look_with(model, look, *batch).losses for batch in batches]
    return float(sum(part.sum() for part in losses)) / sum(int((part != 0).sum()) for part in losses)
