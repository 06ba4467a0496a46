"""Digits, spoken and written, told apart by random layers with a linear readout."""

from collections.abc import Callable

import numpy as np
from jaxtyping import Float, Int

from course_lib.applications.speller import log_spectrogram
from course_lib.data import load_spoken_digits
from course_lib.data.labelled_pictures import LabelledPictures
from course_lib.data.mnist import load_mnist
from course_lib.data.spoken_digits import WORDS, SpokenDigit
from course_lib.reservoir import ExtremeLearningMachine, LiquidStateMachine, ridge, with_bias


def classified(
    train: Float[np.ndarray, "count features"],
    labels: Int[np.ndarray, "count"],
    held_out: np.ndarray,
    test: Float[np.ndarray, "tests features"],
) -> Int[np.ndarray, "tests"]:
    """Return the classes that a ridge readout gives; its β is chosen on the part held out of training.

    Args:
        train, test: features.
        labels: 0, 1, … of the training examples.
        held_out: (count,) bool, which of them choose β.
    """
    targets = np.eye(labels.max() + 1)[labels]
    kept = ~held_out

    def right(beta: float) -> float:
        weights = ridge(with_bias(train[kept]), targets[kept], beta)
        return float(((with_bias(train[held_out]) @ weights.T).argmax(1) == labels[held_out]).mean())

    beta = max((1.0, 10.0, 100.0, 1e3, 1e4, 1e5), key=right)
    return (with_bias(test) @ ridge(with_bias(train), targets, beta).T).argmax(1)


def sound(digit: SpokenDigit) -> Float[np.ndarray, "steps bands"]:
    """Return what is heard of a spoken digit: energies of 40 bands, those below the clip's mean as 0; 2 ms a
    step."""
    return np.repeat(np.maximum(log_spectrogram(digit.wave).double().numpy(), 0), 5, axis=0)


def faded(inputs: Float[np.ndarray, "steps features"], tau: float, step: float) -> np.ndarray:
    """Return the inputs, summed with weights that fade with τ: what is left of a sound without any neuron."""
    return np.exp(-step / tau * np.arange(len(inputs))[::-1]) @ inputs


def listener(connections: int, seed: int = 0, units: int = 200) -> LiquidStateMachine:
    """Return a liquid for spoken digits, in steps of 2 ms, whose readout remembers 200 ms."""
    return LiquidStateMachine(
        40, units, connections, input_scale=0.3, weight_scale=1.0, readout=200.0, step=2.0, seed=seed
    )


def last_traces(machine: LiquidStateMachine, inputs: np.ndarray) -> np.ndarray:
    """Return what the neurons remember when the sound ends."""
    return machine.run(inputs).traces[-1]


def spoken_digit_accuracy(hear: Callable[[np.ndarray], np.ndarray]) -> float:
    """Return the share of the 300 test clips that a linear readout names right.

    Args:
        hear: turns a `sound` into the features that the readout gets at its end.
    """
    data = load_spoken_digits()
    train, test = (np.array([hear(sound(digit)) for digit in part]) for part in (data.train, data.test))
    labels, truth = (np.array([WORDS.index(d.word) for d in part]) for part in (data.train, data.test))
    held_out = np.array([digit.take >= 12 for digit in data.train])
    return float((classified(train, labels, held_out, test) == truth).mean())


def temporal_xor(count: int, rng: np.random.Generator) -> tuple[list[np.ndarray], Int[np.ndarray, "count"]]:
    """Return patterns of two bursts, each on one of two channels; class 1 where the channels differ.

    A burst lasts 25 ms; the second starts about 35 ms after the first, and 20 ms of silence follow. No
    weighted sum of past inputs tells the classes, whatever the weights.
    """
    channels = rng.integers(0, 2, (count, 2))
    patterns = []
    for pair in channels:
        inputs = np.zeros((90, 2))
        for channel, start in zip(pair, (5, 40), strict=True):
            begin = start + rng.integers(-3, 4)
            inputs[begin : begin + 25, channel] = 1
        patterns.append(inputs)
    return patterns, channels[:, 0] ^ channels[:, 1]


def flat(digits: LabelledPictures) -> Float[np.ndarray, "count pixels"]:
    """Return the pictures as rows of 784 numbers, 0 to 1."""
    return digits.images.reshape(len(digits.images), -1) / 255


def extreme_accuracy(units: int, seed: int = 0) -> float:
    """Return the share of 2,000 test digits that an extreme learning machine names right."""
    data = load_mnist()
    machine = ExtremeLearningMachine(784, units, seed=seed)
    machine.fit(flat(data.train), np.eye(10)[data.train.labels], beta=0.1)
    return float((machine.predict(flat(data.test)).argmax(1) == data.test.labels).mean())


def linear_accuracy() -> float:
    """Return the same for a linear readout of the pixels: no hidden layer at all."""
    data = load_mnist()
    weights = ridge(with_bias(flat(data.train)), np.eye(10)[data.train.labels], 1.0)
    return float(((with_bias(flat(data.test)) @ weights.T).argmax(1) == data.test.labels).mean())
