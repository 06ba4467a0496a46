"""Extreme learning machine: a hidden layer that is drawn and never trained, and a linear readout that is.

    h = tanh(W_in x + b)        y = W_out [1; h]

Huang, Zhu and Siew 2006; random features with a trained readout are older (Schmidt, Kraaijveld and Duin
1992).
"""

import numpy as np
from jaxtyping import Float

from course_lib.reservoir.readout import check_scales, check_series, ridge, with_bias


class ExtremeLearningMachine:
    """An echo state network without the echo: nothing is recurrent.

    Args:
        inputs: features of x.
        units: random features.
        scale: standard deviation of what a unit gets from inputs of variance 1.
        seed: of the random weights.

    Raises:
        ValueError: a size is below 1; the scale is negative or not finite.
    """

    def __init__(self, inputs: int, units: int, scale: float = 1.0, seed: int = 0) -> None:
        for name, size in (("inputs", inputs), ("units", units)):
            if size < 1:
                raise ValueError(f"{name} is {size}; allowed is 1 or more")
        check_scales(scale=scale)
        rng = np.random.default_rng(seed)
        self.W_in = rng.normal(0, scale / np.sqrt(inputs), (units, inputs))
        self.b = rng.uniform(-scale, scale, units)
        self.W_out: Float[np.ndarray, "outputs features"] | None = None

    def features(self, inputs: Float[np.ndarray, "count inputs"]) -> Float[np.ndarray, "count units"]:
        """Return h, −1 to 1.

        Raises:
            ValueError: the inputs have another size or hold a NaN.
        """
        check_series("inputs", inputs, self.W_in.shape[1])
        return np.tanh(inputs @ self.W_in.T + self.b)

    def fit(
        self,
        inputs: Float[np.ndarray, "count inputs"],
        targets: Float[np.ndarray, "count outputs"],
        beta: float,
    ) -> None:
        """Learn the readout; for classes, hand over one-hot targets.

        Raises:
            ValueError: as `features` and `ridge`.
        """
        self.W_out = ridge(with_bias(self.features(inputs)), targets, beta)

    def predict(self, inputs: Float[np.ndarray, "count inputs"]) -> Float[np.ndarray, "count outputs"]:
        """Return y.

        Raises:
            ValueError: as `features`; there is no readout yet.
        """
        if self.W_out is None:
            raise ValueError("the machine has no readout; call fit first")
        return with_bias(self.features(inputs)) @ self.W_out.T
