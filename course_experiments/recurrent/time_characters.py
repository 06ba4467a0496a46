"""Characters of Shakespeare, read by a TCN and by an LSTM of equal size, for equal time."""

import time
from collections.abc import Iterator
from typing import NamedTuple

import torch
from torch import Tensor, nn

from course_experiments.recurrent.time_tasks import cross_entropy_at_each_step, pair, parameters
from course_lib.data.shakespeare import load_tiny_shakespeare
from course_lib.text.vocabulary import CharacterVocabulary
from course_lib.training.loop import train_steps

CHARACTERS = 65  # different ones in tiny Shakespeare
WINDOW = 192  # characters read at once in training
SCORED = 128  # characters scored at the end of a window of twice that: each has as much before it


def windows(tokens: Tensor, size: int, step: int) -> Tensor:
    """Return all windows of a text, (windows, size), `step` characters apart."""
    return tokens.unfold(0, size, step)


def one_hot(tokens: Tensor) -> Tensor:
    """Return characters as the networks read them."""
    return nn.functional.one_hot(tokens, CHARACTERS).float()


@torch.no_grad()
def nats_a_character(model: nn.Module, held_out: Tensor) -> float:
    """Return the mean cross-entropy of the last half of each window; the first half is only read.

    So each character that counts has `SCORED` or more before it, for either network.

    Args:
        model: answers at each step with the logits of the next character.
        held_out: windows of 2 · `SCORED` + 1 characters, as tokens.
    """
    losses = [
        nn.functional.cross_entropy(
            model(one_hot(part[:, :-1]))[:, -SCORED:].flatten(0, 1), part[:, -SCORED:].flatten()
        ).item()
        * len(part)
        for part in held_out.split(32)
    ]
    return sum(losses) / len(held_out)


class Reading(NamedTuple):
    """One training run on characters."""

    network: str  # "tcn" or "lstm"
    seed: int
    parameters: int
    characters: int  # read in training, repetitions counted
    curve: list[float]  # held-out nats a character after each tenth of the time


def try_characters(network: str, seed: int, cpu_seconds: float = 90, held_out: int = 20_000) -> Reading:
    """Train a TCN or an LSTM of the same size on tiny Shakespeare, for a time.

    The learning rate falls in a straight line from 0.004 to 0 over that time.

    Args:
        network: "tcn" or "lstm".
        seed: of the first weights, and of the places that are read.
        cpu_seconds: of this process, without those spent on measuring.
        held_out: characters at the beginning of the last tenth of the text.
    """
    torch.manual_seed(seed)
    text = load_tiny_shakespeare()
    encode = CharacterVocabulary(text.characters).encode
    train, probe = encode(text.train), encode(text.validation[: held_out + 1])
    probes = windows(probe, 2 * SCORED + 1, SCORED)
    model = pair(CHARACTERS, CHARACTERS, 64, 5, 3)[network]
    optimizer = torch.optim.Adam(model.parameters(), lr=4e-3)
    spent, updates = 0.0, 0
    curve: list[float] = []

    def losses() -> Iterator[Tensor]:
        while spent < cpu_seconds:
            places = torch.randint(len(train) - WINDOW, (16, 1))
            batch = train[places + torch.arange(WINDOW + 1)]
            optimizer.param_groups[0]["lr"] = 4e-3 * (1 - spent / cpu_seconds)
            yield cross_entropy_at_each_step(model(one_hot(batch[:, :-1])), batch[:, 1:])

    began = time.process_time()
    for _ in train_steps(losses(), optimizer, clip=1.0):
        updates += 1
        spent += time.process_time() - began
        if 10 * spent / cpu_seconds >= len(curve) + 1:
            curve.append(nats_a_character(model, probes))
        began = time.process_time()
    return Reading(network, seed, parameters(model), updates * 16 * WINDOW, curve)
