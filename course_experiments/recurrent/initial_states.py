"""What a learned initial state is worth: the loss at each letter, the first one included."""

import torch
from jaxtyping import Float, Int
from torch import Tensor, nn
from torch.nn import functional

from course_lib.recurrent.initial_state import LearnedInitialState
from course_lib.recurrent.layer import RecurrentLayer
from course_lib.training.loop import train_steps


def loss_by_letter(
    layer: RecurrentLayer | LearnedInitialState,
    head: nn.Linear,
    learn: Int[Tensor, "sentences letters"],
    check: Int[Tensor, "others letters"],
    steps: int,
    batch: int = 64,
) -> Float[Tensor, "letters"]:
    """Train on the beginnings of sentences; return nats at each letter of those not seen.

    Each letter is guessed from the state before it, the first one from the initial state alone.

    Args:
        layer: reads one-hot letters.
        head: state -> a score for each letter.
        learn: to train on, by Adam with clipping; read once, or less.
        check: to measure.
        steps: of training.
        batch: sentences a step.

    Raises:
        ValueError: there are not enough sentences for the steps.
    """
    if len(learn) < batch * steps:
        raise ValueError(f"learn has {len(learn)} sentences; {steps} steps need {batch * steps}")
    parameters = [*layer.parameters(), *head.parameters()]
    optimiser = torch.optim.Adam(parameters, 5e-3)

    def losses(letters: Tensor) -> Tensor:
        states, _ = layer(functional.one_hot(letters, head.out_features).float())
        (start,) = layer.zero_state(len(letters))
        before = torch.cat([start.unsqueeze(1), states[:, :-1]], dim=1)
        return functional.cross_entropy(head(before).transpose(1, 2), letters, reduction="none")

    batches = learn[: batch * steps].split(batch)
    for _ in train_steps((losses(letters).mean() for letters in batches), optimiser, clip=1.0):
        pass
    with torch.no_grad():
        return losses(check).mean(dim=0)
