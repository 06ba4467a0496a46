"""Gradients on their way back through time: how much each state matters to a loss that comes later."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np

from course_lib.traces.base import Trace, array, names, tokens

if TYPE_CHECKING:
    pass

ALL_STEPS = -1  # stands for the sum of the losses of all steps


@dataclass(frozen=True, eq=False)
class GradientTrace(Trace):
    """How large the gradient of a loss is at each state on the way, for one or more networks.

    Logarithms, since a gradient that vanishes soon lies below what a floating point number can hold.

    Attributes:
        log10_norms: (models, losses, steps) log₁₀ ‖∂L_k/∂h_t‖; −inf where the gradient is exactly 0, as it is
            at steps after the loss.
        models: names of the networks.
        loss_steps: (losses) the step k, from 0, at which the loss is; −1 is the sum of the losses of all.
        hidden_sizes: (models) features of h.
        inputs: what is read at each step; strings may repeat.
        targets: what is asked at each step; None writes nothing.
        title: what the picture shows, as a sentence.
    """

    log10_norms: np.ndarray = field(metadata=array(np.float64, "models losses steps"))
    models: tuple[str, ...] = field(metadata=names("models"))
    loss_steps: np.ndarray = field(metadata=array(np.int32, "losses"))
    hidden_sizes: np.ndarray = field(metadata=array(np.int32, "models"))
    inputs: tuple[str, ...] = field(metadata=tokens("steps"))
    targets: tuple[str, ...] | None = field(default=None, metadata=tokens("steps"))
    title: str = ""

    def __len__(self) -> int:
        return len(self.inputs)

    def validate(self) -> None:
        """Check that the norms can be norms of such losses.

        Raises:
            ValueError: an empty axis, a size below 1, a loss step that does not exist or stands twice, a norm
                that is NaN or infinite, a gradient at a step after its loss.
        """
        if 0 in self.log10_norms.shape:
            raise ValueError(f"log10_norms must have no empty axis, got shape {self.log10_norms.shape}")
        if self.hidden_sizes.min() < 1:
            raise ValueError(f"hidden_sizes must be 1 or more, got {self.hidden_sizes.tolist()}")
        steps = self.loss_steps.tolist()
        if min(steps) < ALL_STEPS or max(steps) >= len(self) or len(set(steps)) < len(steps):
            raise ValueError(f"loss_steps must differ and lie in -1 to {len(self) - 1}, got {steps}")
        wrong = np.isnan(self.log10_norms) | np.isposinf(self.log10_norms)
        if wrong.any():
            model, loss, step = np.argwhere(wrong)[0].tolist()
            raise ValueError(
                f"log10_norms must be finite, or -inf for a gradient of 0, but {self.models[model]!r}, "
                f"{self.name_of_loss(loss)}, has {self.log10_norms[model, loss, step]} at step {step + 1}"
            )
        for loss, last in enumerate(steps):
            if last != ALL_STEPS and (self.log10_norms[:, loss, last + 1 :] > -np.inf).any():
                raise ValueError(
                    f"log10_norms must be -inf after the loss: the {self.name_of_loss(loss)} "
                    f"has a gradient after step {last + 1}"
                )

    def row_of_loss(self, step: int | None) -> int:
        """Return the row of the loss at a step from 0, of the sum (−1), or of the trace's first loss (None).

        Raises:
            ValueError: the trace has no such loss.
        """
        steps = self.loss_steps.tolist()
        if step is not None and step not in steps:
            raise ValueError(f"loss must be one of {', '.join(map(str, steps))}, got {step!r}")
        return 0 if step is None else steps.index(step)

    def last_step(self, loss: int) -> int:
        """Return the last step, from 0, that this row's loss depends on."""
        step = int(self.loss_steps[loss])
        return len(self) - 1 if step == ALL_STEPS else step

    def name_of_loss(self, loss: int) -> str:
        """Return what this row's loss is, in words."""
        step = int(self.loss_steps[loss])
        return "losses of all steps" if step == ALL_STEPS else f"loss at step {step + 1}"
