"""Reservoirs: random networks that are not trained, and linear readouts that are."""

from course_lib.reservoir.echo_state import Echo, EchoStateNetwork
from course_lib.reservoir.extreme import ExtremeLearningMachine
from course_lib.reservoir.liquid import Activity, LiquidStateMachine, Neuron
from course_lib.reservoir.measures import horizon, memory_curve, nrmse
from course_lib.reservoir.readout import ridge, with_bias

__all__ = [
    "Activity",
    "Echo",
    "EchoStateNetwork",
    "ExtremeLearningMachine",
    "LiquidStateMachine",
    "Neuron",
    "horizon",
    "memory_curve",
    "nrmse",
    "ridge",
    "with_bias",
]
