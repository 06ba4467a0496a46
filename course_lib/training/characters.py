"""Train language models of characters on Shakespeare, by truncated backpropagation through time.

The text is cut into streams that are read side by side, chunk by chunk, from the first character to the last;
the state goes on from chunk to chunk, the gradient does not.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import torch
from jaxtyping import Int
from torch import Tensor

from course_lib.data import load_tiny_shakespeare
from course_lib.recurrent.language_model import LanguageModel, nats, save_character_lm
from course_lib.recurrent.truncated import streams, truncated_losses
from course_lib.text.vocabulary import CharacterVocabulary
from course_lib.training.loop import Progress, Schedule, fit

BATCH_SIZE = 32
STEPS = 64  # that a gradient goes back
VALIDATION_STREAMS = 20  # after each epoch; the number that is recorded comes from one stream

PUBLISHED = 1.88
SOURCE = (
    "nanoGPT, README, “I only have a macbook”: a Transformer of 4 layers, 128 features, about 3 minutes on a "
    "laptop's CPU; same text and split, but a mean over random windows of 64 characters"
)


@dataclass(frozen=True)
class Recipe:
    """A model and its training.

    Args:
        what: in words.
        sizes: arguments of `LanguageModel`, without `vocabulary_size`.
        schedule: how long and how fast.
    """

    what: str
    sizes: dict[str, Any]
    schedule: Schedule


RECIPES = {
    "lm": Recipe(
        "LSTM that ships",
        {"hidden_size": 256, "embedding_size": 32, "dropout": 0.1},
        Schedule(epochs=6, learning_rate=4e-3, warmup=100),
    ),
    "quick": Recipe(
        "LSTM, three minutes",
        {"hidden_size": 256, "embedding_size": 32},
        Schedule(epochs=3, learning_rate=4e-3, warmup=100),
    ),
    "rnn": Recipe(
        "vanilla RNN",
        {"hidden_size": 364, "kind": "rnn"},
        Schedule(epochs=4, learning_rate=2e-3, warmup=100),
    ),
    "multiplicative": Recipe(
        "multiplicative RNN",
        {"hidden_size": 255, "kind": "multiplicative"},
        Schedule(epochs=4, learning_rate=2e-3, warmup=100),
    ),
}


def train_on_text(
    model: LanguageModel,
    text: Int[Tensor, "length"],
    held_out: Int[Tensor, "length"],
    schedule: Schedule,
    folder: Path,
    minutes: float | None = None,
    fresh: bool = False,
    batch: int = BATCH_SIZE,
    steps: int = STEPS,
) -> Progress:
    """Train a language model on one long text, on one thread; see `fit`.

    Args:
        model: to train; ends with the weights of its best epoch.
        text: to learn from.
        held_out: to validate on after each epoch.
        schedule: how long and how fast; an epoch reads the whole text once, from a state of zeros.
        folder: where the training state is kept.
        minutes: pause after about so many minutes of wall-clock time; None never pauses.
        fresh: start anew.
        batch: streams side by side.
        steps: that a gradient goes back; a chunk.

    Raises:
        ValueError: the text is shorter than one chunk in each stream.
    """
    if len(text) < batch * (steps + 1):
        raise ValueError(
            f"text has {len(text)} tokens; allowed is {batch * (steps + 1)} or more: "
            f"one chunk of {steps} and its last target in each of {batch} streams"
        )
    torch.set_num_threads(1)
    parallel = streams(text, batch)

    def losses(epoch: int) -> Iterator[Tensor]:
        return truncated_losses(model.loss, parallel, steps, model.zero_state(batch))

    return fit(
        model,
        lambda loss: loss,
        losses,
        -(-(parallel.shape[1] - 1) // steps),
        lambda: nats(model, held_out, VALIDATION_STREAMS),
        schedule,
        folder,
        minutes,
        fresh,
    )


def train_characters(
    name: str, folder: Path, minutes: float | None = None, fresh: bool = False
) -> tuple[LanguageModel, CharacterVocabulary, Progress]:
    """Train one of `RECIPES` on the first 90 % of Shakespeare; write `folder/character_NAME.safetensors`.

    Args:
        name: of the recipe.
        folder, minutes, fresh: see `train_on_text`.

    Raises:
        ValueError: no such recipe.
    """
    if name not in RECIPES:
        raise ValueError(f"name is {name!r}; allowed are {', '.join(map(repr, RECIPES))}")
    recipe, data = RECIPES[name], load_tiny_shakespeare()
    vocabulary = CharacterVocabulary(data.characters)
    torch.manual_seed(0)
    model = LanguageModel(len(vocabulary), **recipe.sizes)
    train, held_out = vocabulary.encode(data.train), vocabulary.encode(data.validation)
    progress = train_on_text(model, train, held_out, recipe.schedule, folder, minutes, fresh)
    if progress.stopped != "paused":
        save_character_lm(folder / f"character_{name}.safetensors", model, vocabulary, recipe.sizes)
    return model.eval(), vocabulary, progress
