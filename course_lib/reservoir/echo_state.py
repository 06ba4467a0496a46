"""Echo state network: a large random recurrent network that is never trained, and a linear readout that is.

    x̃(n) = tanh(W_in [1; u(n)] + W x(n−1) + W_fb y(n−1))
    x(n)  = (1 − α) x(n−1) + α x̃(n)
    y(n)  = W_out [1; u(n); x(n)]

Jaeger 2001; the equations are 2 to 4 of Lukoševičius 2012, with his optional feedback W_fb.
"""

from typing import NamedTuple

import numpy as np
import torch
from jaxtyping import Float
from scipy import sparse

from course_lib.recurrent.spectral import with_spectral_radius
from course_lib.reservoir.readout import check_scales, check_series, ridge, with_bias

LAWS = ("uniform", "gaussian")


class Echo(NamedTuple):
    """Where a network stands between two steps."""

    x: Float[np.ndarray, "units"]
    y: Float[np.ndarray, "outputs"]  # its last output, or what a teacher put in its place


class EchoStateNetwork:
    """A leaky reservoir with a ridge readout.

    Args:
        inputs: features of u.
        outputs: features of y.
        units: neurons of the reservoir.
        spectral_radius: of W, 0 or more. Below 1 the past usually fades; far above, it makes chaos.
        leak: α, above 0 to 1; small is slow.
        connections: neurons that send to each neuron, drawn at random.
        input_scale: largest weight of W_in, bias included.
        feedback_scale: largest weight of W_fb; 0 is none.
        law: that the weights of W are drawn by before they are scaled, "uniform" or "gaussian".
        seed: of all random weights.

    Raises:
        ValueError: an argument is out of its range.
    """

    def __init__(
        self,
        inputs: int,
        outputs: int,
        units: int,
        spectral_radius: float = 0.9,
        leak: float = 1.0,
        connections: int = 10,
        input_scale: float = 1.0,
        feedback_scale: float = 0.0,
        law: str = "uniform",
        seed: int = 0,
    ) -> None:
        for name, size in (("inputs", inputs), ("outputs", outputs), ("units", units)):
            if size < 1:
                raise ValueError(f"{name} is {size}; allowed is 1 or more")
        if not 0 < leak <= 1:
            raise ValueError(f"leak is {leak}; allowed is above 0 to 1")
        check_scales(input_scale=input_scale, feedback_scale=feedback_scale)
        rng = np.random.default_rng(seed)
        self.inputs, self.outputs, self.units, self.leak = inputs, outputs, units, leak
        self.W_in = rng.uniform(-input_scale, input_scale, (units, 1 + inputs))
        self.W = sparse.csr_array(reservoir(units, connections, spectral_radius, law, rng))
        self.W_fb = rng.uniform(-1, 1, (units, outputs)) * feedback_scale if feedback_scale else None
        self.W_out: Float[np.ndarray, "outputs features"] | None = None

    def rest(self) -> Echo:
        """Return the state of a network that has had no input yet: zeros."""
        return Echo(np.zeros(self.units), np.zeros(self.outputs))

    def checked(self, echo: Echo) -> Echo:
        """Return the same, or raise ValueError if it is of another size or holds a NaN."""
        sizes = echo.x.shape, echo.y.shape
        if sizes != ((self.units,), (self.outputs,)):
            raise ValueError(f"echo has shapes {sizes}; allowed are ({self.units},) and ({self.outputs},)")
        if not (np.isfinite(echo.x).all() and np.isfinite(echo.y).all()):
            raise ValueError("echo holds a NaN or an infinity; allowed are finite numbers")
        return echo

    def step(
        self,
        driven: Float[np.ndarray, "units"],
        x: Float[np.ndarray, "units"],
        y: Float[np.ndarray, "outputs"],
    ) -> Float[np.ndarray, "units"]:
        """Return x(n).

        Args:
            driven: W_in [1; u(n)].
            x, y: x(n−1) and y(n−1).
        """
        field = driven + self.W @ x
        if self.W_fb is not None:
            field += self.W_fb @ y
        return (1 - self.leak) * x + self.leak * np.tanh(field)

    def listen(
        self,
        inputs: Float[np.ndarray, "time inputs"],
        echo: Echo | None = None,
        teacher: Float[np.ndarray, "time outputs"] | None = None,
    ) -> tuple[Float[np.ndarray, "time units"], Echo]:
        """Hear a series; return x(1) … x(T), and where the network then stands.

        Args:
            inputs: u(1) … u(T).
            echo: where to start; None is `rest`.
            teacher: outputs to feed back in place of the network's own.

        Raises:
            ValueError: a series or the echo has another shape, or a series holds a NaN; a network with
                feedback has neither a readout nor a teacher.
            TypeError: a series is no numpy array of numbers.
        """
        check_series("inputs", inputs, self.inputs)
        if teacher is not None:
            check_series("teacher", teacher, self.outputs)
            if len(teacher) != len(inputs):
                raise ValueError(f"teacher has {len(teacher)} steps; allowed is {len(inputs)}, as the inputs")
        x, y = self.checked(self.rest() if echo is None else echo)
        states = with_bias(inputs) @ self.W_in.T  # what the inputs do, at once; then x(n) in its place
        for n in range(len(inputs)):
            x = states[n] = self.step(states[n], x, y)
            if teacher is not None:
                y = teacher[n]
            elif self.W_fb is not None:
                y = self.read(inputs[n : n + 1], states[n : n + 1])[0]
        return states, Echo(x, y)

    def run(
        self, inputs: Float[np.ndarray, "time inputs"], echo: Echo | None = None
    ) -> tuple[Float[np.ndarray, "time outputs"], Echo]:
        """Hear a series; return y(1) … y(T), and where the network then stands.

        Args:
            inputs: u(1) … u(T).
            echo: where to start; None is `rest`.

        Raises:
            ValueError: as `listen`; there is no readout yet.
        """
        states, end = self.listen(inputs, echo)
        outputs = self.read(inputs, states)
        return outputs, Echo(end.x, outputs[-1])

    def read(
        self, inputs: Float[np.ndarray, "time inputs"], states: Float[np.ndarray, "time units"]
    ) -> Float[np.ndarray, "time outputs"]:
        """Return y(n) = W_out [1; u(n); x(n)].

        Raises:
            ValueError: there is no readout yet, or the shapes do not fit.
        """
        if self.W_out is None:
            raise ValueError("the network has no readout; call fit first")
        if states.shape != (len(inputs), self.units) or inputs.shape[1:] != (self.inputs,):
            raise ValueError(
                f"inputs have shape {inputs.shape}, states {states.shape}; "
                f"allowed are (time, {self.inputs}) and (time, {self.units})"
            )
        return with_bias(inputs, states) @ self.W_out.T

    def fit(
        self,
        inputs: Float[np.ndarray, "time inputs"],
        targets: Float[np.ndarray, "time outputs"],
        washout: int,
        beta: float,
    ) -> Echo:
        """Learn the readout, with the targets as teacher.

        Args:
            inputs: u(1) … u(T).
            targets: y(1) … y(T).
            washout: first steps that are left out, since they still remember the start; below T.
            beta: of the ridge regression.

        Returns:
            where the network stands at the end, for `run` and `generate` to go on from.

        Raises:
            ValueError: as `listen` and `ridge`; washout leaves nothing.
        """
        if not 0 <= washout < len(inputs):
            raise ValueError(f"washout is {washout}; allowed are 0 to {len(inputs) - 1}, below the steps")
        states, end = self.listen(inputs, teacher=targets)
        self.W_out = ridge(with_bias(inputs, states)[washout:], targets[washout:], beta)
        return end

    def generate(self, steps: int, echo: Echo) -> Float[np.ndarray, "steps outputs"]:
        """Run free: each output is the next input.

        Args:
            steps: how many.
            echo: where to start; its y is the first input.

        Raises:
            ValueError: steps is negative, inputs and outputs are not equally many, the echo has another shape
                or holds a NaN, or there is no readout.
        """
        if steps < 0:
            raise ValueError(f"steps is {steps}; allowed is 0 or more")
        if self.inputs != self.outputs:
            raise ValueError(f"outputs are {self.outputs}, inputs {self.inputs}; to run free, as many")
        outputs = np.empty((steps, self.outputs))
        x, y = self.checked(echo)
        for n in range(steps):
            u = y[np.newaxis]
            x = self.step(with_bias(u)[0] @ self.W_in.T, x, y)
            y = outputs[n] = self.read(u, x[np.newaxis])[0]
        return outputs


def reservoir(
    units: int, connections: int, spectral_radius: float, law: str, rng: np.random.Generator
) -> Float[np.ndarray, "units units"]:
    """Return random weights: in each row `connections` that are not 0, scaled to the spectral radius.

    Raises:
        ValueError: no such law; the connections are not 1 to `units`; the radius is negative or not finite.
    """
    if law not in LAWS:
        raise ValueError(f"law is {law!r}; allowed are {', '.join(map(repr, LAWS))}")
    if not 1 <= connections <= units:
        raise ValueError(f"connections is {connections}; allowed are 1 to {units}, the units")
    W = np.zeros((units, units))
    for row in W:
        drawn = rng.uniform(-1, 1, connections) if law == "uniform" else rng.normal(size=connections)
        row[rng.choice(units, connections, replace=False)] = drawn
    return with_spectral_radius(torch.from_numpy(W), spectral_radius).numpy()
