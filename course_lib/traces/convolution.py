"""Pictures and kernels: all that a convolution of one channel needs to be tried out."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from course_lib.traces.base import Trace, array, names

MOST_STRIDE, MOST_PADDING, MOST_DILATION = 4, 4, 4
MOST_TURN, TURN_STEP = 90, 15  # degrees


@dataclass(frozen=True, eq=False)
class ConvolutionTrace(Trace):
    """Pictures to look at, and kernels to look with.

    Attributes:
        pictures: (pictures, height, width) brightness, any finite numbers.
        picture_names: what each shows.
        kernels: (kernels, rows, columns) weights.
        kernel_names: what each is called.
        title: what is shown, as a sentence.
    """

    pictures: np.ndarray = field(metadata=array(np.float32, "pictures height width"))
    picture_names: tuple[str, ...] = field(metadata=names("pictures"))
    kernels: np.ndarray = field(metadata=array(np.float32, "kernels rows columns"))
    kernel_names: tuple[str, ...] = field(metadata=names("kernels"))
    title: str = ""

    def validate(self) -> None:
        """Check that every kernel fits into every picture at every dilation that is offered.

        Raises:
            ValueError: an empty axis, a number that is not finite, a kernel that is too large.
        """
        for name in ("pictures", "kernels"):
            values = getattr(self, name)
            if 0 in values.shape:
                raise ValueError(f"{name} must have no empty axis, got shape {values.shape}")
            if not np.isfinite(values).all():
                raise ValueError(f"{name} must hold finite numbers")
        span = MOST_DILATION * (max(self.kernels.shape[1:]) - 1) + 1
        smallest = min(self.pictures.shape[1:])
        if span > smallest:
            raise ValueError(
                f"kernels of {self.kernels.shape[1]}×{self.kernels.shape[2]} span {span} at dilation "
                f"{MOST_DILATION}; the pictures have only {smallest} pixels along an axis"
            )
