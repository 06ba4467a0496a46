"""Liquid state machine: a reservoir of spiking neurons, read by a linear readout.

A leaky integrate-and-fire neuron with potential v, driven by a current I:

    τ dv/dt = −v + I        v ≥ θ: a spike, v ← v_reset, then silence for the refractory time

Between spikes v is known exactly: over a step Δ of constant current, v ← d v + (1 − d) I with d = e^(−Δ/τ).
A spike adds its weight to a current that fades with τ_s; the readout sees spikes that fade with τ_r:

    I(n) = W_in u(n) + s(n),    s(n) = e^(−Δ/τ_s) s(n−1) + W z(n−1)
    r(n) = e^(−Δ/τ_r) r(n−1) + z(n)
    y(n) = W_out [1; r(n)]

Maass, Natschläger and Markram 2002; the neuron is Lapicque's of 1907, without units of volt and ohm.
"""

import math
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from jaxtyping import Bool, Float
from scipy import sparse

from course_lib.reservoir.readout import check_scales, check_series, ridge, with_bias


@dataclass(frozen=True)
class Neuron:
    """A leaky integrate-and-fire neuron; times in milliseconds.

    Args:
        tau: of the leak, above 0.
        threshold: where it fires; above `reset`.
        reset: where it starts again.
        refractory: silence after a spike, 0 or more.

    Raises:
        ValueError: an argument is out of its range.
    """

    tau: float = 20.0
    threshold: float = 1.0
    reset: float = 0.0
    refractory: float = 2.0

    def __post_init__(self) -> None:
        if not self.tau > 0:
            raise ValueError(f"tau is {self.tau}; allowed is above 0")
        check_scales(refractory=self.refractory)
        if not self.threshold > self.reset:
            raise ValueError(f"threshold is {self.threshold}; allowed is above reset, which is {self.reset}")

    def rate(self, current: float) -> float:
        """Return the spikes a millisecond under a constant current.

        1 / (refractory + τ log((I − v_reset) / (I − θ))),    0 where I ≤ θ
        """
        if current <= self.threshold:
            return 0.0
        rise = self.tau * math.log((current - self.reset) / (current - self.threshold))
        return 1 / (self.refractory + rise)


class Activity(NamedTuple):
    """What the neurons did at each step."""

    spikes: Bool[np.ndarray, "time units"]  # z
    potentials: Float[np.ndarray, "time units"]  # v, after the reset where one fired
    traces: Float[np.ndarray, "time units"]  # r, 0 or more


class LiquidStateMachine:
    """Random spiking neurons, four excitatory for each inhibitory one.

    Args:
        inputs: features of u.
        units: neurons.
        connections: neurons that send to each neuron; 0 leaves all of them alone.
        input_scale: largest weight of W_in; weights are 0 or more.
        weight_scale: largest weight of W; an inhibitory neuron's count four times, downwards.
        neuron: of which kind all are.
        synapse: τ_s, milliseconds.
        readout: τ_r, milliseconds.
        step: Δ, milliseconds.
        seed: of all random weights.

    Raises:
        ValueError: an argument is out of its range.
    """

    def __init__(
        self,
        inputs: int,
        units: int,
        connections: int = 10,
        input_scale: float = 3.0,
        weight_scale: float = 0.3,
        neuron: Neuron | None = None,
        synapse: float = 5.0,
        readout: float = 30.0,
        step: float = 1.0,
        seed: int = 0,
    ) -> None:
        for name, size in (("inputs", inputs), ("units", units)):
            if size < 1:
                raise ValueError(f"{name} is {size}; allowed is 1 or more")
        if not 0 <= connections <= units:
            raise ValueError(f"connections is {connections}; allowed are 0 to {units}, the units")
        for name, time in (("synapse", synapse), ("readout", readout), ("step", step)):
            if not 0 < time < math.inf:
                raise ValueError(f"{name} is {time}; allowed is above 0 and finite")
        check_scales(input_scale=input_scale, weight_scale=weight_scale)
        rng = np.random.default_rng(seed)
        self.neuron = Neuron() if neuron is None else neuron
        self.inputs, self.units, self.step = inputs, units, step
        self.synapse, self.readout = synapse, readout
        self.W_in = rng.uniform(0, input_scale, (units, inputs))
        W = np.zeros((units, units))
        for row in W:
            row[rng.choice(units, connections, replace=False)] = rng.uniform(0, weight_scale, connections)
        W[:, rng.permutation(units)[: units // 5]] *= -4
        self.W = sparse.csr_array(W)
        self.W_out: Float[np.ndarray, "outputs features"] | None = None

    def run(self, inputs: Float[np.ndarray, "time inputs"]) -> Activity:
        """Drive the neurons, which start at rest.

        Args:
            inputs: u, currents or spikes of 0 and 1; one row a step.

        Raises:
            ValueError: the inputs have another size or hold a NaN.
        """
        check_series("inputs", inputs, self.inputs)
        neuron, step = self.neuron, self.step
        keep, fade, forget = (math.exp(-step / tau) for tau in (neuron.tau, self.synapse, self.readout))
        silence = round(neuron.refractory / step)
        driven = inputs @ self.W_in.T
        v, received, trace = (np.zeros(self.units) for _ in range(3))
        resting = np.zeros(self.units, dtype=int)  # steps of silence that are left
        fired = np.zeros(self.units, dtype=bool)
        spikes = np.empty((len(inputs), self.units), dtype=bool)
        potentials, traces = np.empty(spikes.shape), np.empty(spikes.shape)
        for n in range(len(inputs)):
            received = fade * received + self.W @ fired.astype(float)
            v = np.where(resting > 0, neuron.reset, keep * v + (1 - keep) * (driven[n] + received))
            fired = v >= neuron.threshold
            v = np.where(fired, neuron.reset, v)
            resting = np.where(fired, silence, np.maximum(resting - 1, 0))
            trace = forget * trace + fired
            spikes[n], potentials[n], traces[n] = fired, v, trace
        return Activity(spikes, potentials, traces)

    def fit(
        self,
        traces: Float[np.ndarray, "count units"],
        targets: Float[np.ndarray, "count outputs"],
        beta: float,
    ) -> None:
        """Learn the readout from traces at chosen moments; for classes, hand over one-hot targets.

        Raises:
            ValueError: as `ridge`.
        """
        self.W_out = ridge(with_bias(traces), targets, beta)

    def read(self, traces: Float[np.ndarray, "count units"]) -> Float[np.ndarray, "count outputs"]:
        """Return y.

        Raises:
            ValueError: the traces have another size or hold a NaN; there is no readout yet.
        """
        check_series("traces", traces, self.units)
        if self.W_out is None:
            raise ValueError("the machine has no readout; call fit first")
        return with_bias(traces) @ self.W_out.T
