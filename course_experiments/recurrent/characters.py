"""Train language models of characters on Shakespeare, by truncated backpropagation through time.

The text is cut into streams that are read side by side, chunk by chunk, from the first character to the last;
the state goes on from chunk to chunk, the gradient does not.
"""

import random
import time
from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any, Literal

import torch
from jaxtyping import Int
from torch import Tensor

from course_experiments.protocol import PAUSED, Budget, Experiment, Outcome
from course_experiments.results import Measurement
from course_lib.applications.language import load_character_lm, save_character_lm
from course_lib.data import CharacterText, load_tiny_shakespeare
from course_lib.decoding import sample
from course_lib.metrics.knowledge import (
    Estimate,
    estimate,
    fitting_brackets,
    letters,
    paired_quotes,
    real_words,
    speeches,
)
from course_lib.recurrent.language_model import LanguageModel, nats
from course_lib.recurrent.truncated import streams, truncated_losses
from course_lib.text.vocabulary import CharacterVocabulary
from course_lib.training.loop import Progress, Schedule, fit, train_steps

BATCH_SIZE = 32
STEPS = 64  # that a gradient goes back
WINDOW = 64  # characters that the published model sees at most
TEMPERATURES = (0.3, 0.5, 0.7, 1.0, 1.3)
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
        minutes: roughly, of processor time.
        text: what it reads.
    """

    what: str
    sizes: dict[str, Any]
    schedule: Schedule
    minutes: float
    text: Literal["Shakespeare", "Python"] = "Shakespeare"


RECIPES = {
    "lm": Recipe(
        "LSTM that ships",
        {"hidden_size": 320, "embedding_size": 32, "dropout": 0.3},
        Schedule(epochs=22, learning_rate=3e-3, warmup=100),
        minutes=20,
    ),
    "six": Recipe(
        "LSTM, six passes",
        {"hidden_size": 256, "embedding_size": 32, "dropout": 0.1},
        Schedule(epochs=6, learning_rate=4e-3, warmup=100),
        minutes=6,
    ),
    "quick": Recipe(
        "LSTM, three minutes",
        {"hidden_size": 256, "embedding_size": 32},
        Schedule(epochs=3, learning_rate=4e-3, warmup=100),
        minutes=3,
    ),
    "rnn": Recipe(
        "vanilla RNN",
        {"hidden_size": 364, "kind": "rnn"},
        Schedule(epochs=4, learning_rate=2e-3, warmup=100),
        minutes=3,
    ),
    "multiplicative": Recipe(
        "multiplicative RNN",
        {"hidden_size": 255, "kind": "multiplicative"},
        Schedule(epochs=4, learning_rate=2e-3, warmup=100),
        minutes=3,
    ),
    "code": Recipe(
        "LSTM that reads Python",
        {"hidden_size": 256, "embedding_size": 32},
        Schedule(epochs=3, learning_rate=4e-3, warmup=100),
        minutes=3,
        text="Python",
    ),
}


def load_text(name: Literal["Shakespeare", "Python"]) -> CharacterText:
    """Load the plays or, for a text with brackets, the Python code of torch's own layers.

    The second is what the installed torch brings: `torch/nn/modules/*.py`, by name, split as the plays are.
    """
    if name == "Shakespeare":
        return load_tiny_shakespeare()
    files = sorted(Path(torch.nn.modules.__file__).parent.glob("*.py"))
    text = "".join(file.read_text(encoding="utf8") for file in files)
    border = len(text) * 9 // 10
    return CharacterText(
        text[:border], text[border:], "BSD-3-Clause", "PyTorch: torch/nn/modules, by its contributors."
    )


def train_on_windows(
    model: LanguageModel, text: Int[Tensor, "length"], updates: int, seed: int, batch: int, window: int
) -> float:
    """Train a language model on windows of a text drawn at random, by Adam with clipping.

    Args:
        model: to train, from a state of zeros in each window.
        text: to learn from.
        updates: how many.
        seed: of the draws.
        batch: windows an update.
        window: characters that are read, and after each of which the next one is guessed.

    Returns:
        the seconds that it took, in processor time.
    """
    generator = torch.Generator().manual_seed(seed)
    optimiser = torch.optim.Adam(model.parameters(), 0.01)

    def losses() -> Iterator[Tensor]:
        for _ in range(updates):
            starts = torch.randint(len(text) - window, (batch, 1), generator=generator)
            windows = text[starts + torch.arange(window + 1)]
            yield model.loss(windows[:, :-1], windows[:, 1:])[0]

    begin = time.process_time()
    for _ in train_steps(losses(), optimiser, clip=1.0):
        pass
    return time.process_time() - begin


def train_on_text(
    model: LanguageModel,
    text: Int[Tensor, "length"],
    held_out: Int[Tensor, "held_out"],
    schedule: Schedule,
    folder: Path,
    minutes: float | None = None,
    batch: int = BATCH_SIZE,
    steps: int = STEPS,
) -> Progress:
    """Train a language model on one long text; see `fit`.

    Args:
        model: to train; ends with the weights of its best epoch.
        text: to learn from.
        held_out: to validate on after each epoch.
        schedule: how long and how fast; an epoch reads the whole text once, from a state of zeros.
        folder: where the training state is kept.
        minutes: pause after about so many minutes of wall-clock time; None never pauses.
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
    )


def train_characters(
    name: str, folder: Path, minutes: float | None = None
) -> tuple[LanguageModel, CharacterVocabulary, Progress]:
    """Train one of `RECIPES` on the first 90 % of its text; write `folder/character_NAME.safetensors`.

    Args:
        name: of the recipe.
        folder, minutes: see `train_on_text`.

    Raises:
        ValueError: no such recipe.
    """
    if name not in RECIPES:
        raise ValueError(f"name is {name!r}; allowed are {', '.join(map(repr, RECIPES))}")
    recipe = RECIPES[name]
    data = load_text(recipe.text)
    vocabulary = CharacterVocabulary(data.characters)
    torch.manual_seed(0)
    model = LanguageModel(len(vocabulary), **recipe.sizes)
    train, held_out = vocabulary.encode(data.train), vocabulary.encode(data.validation)
    progress = train_on_text(model, train, held_out, recipe.schedule, folder, minutes)
    if progress.stopped != "paused":
        save_character_lm(folder / f"character_{name}.safetensors", model, vocabulary, recipe.sizes)
    return model.eval(), vocabulary, progress


def character_results(name: str, path: Path, cpu_minutes: float) -> list[Measurement]:
    """Measure a trained model on the last 10 % of its text, for the register.

    Args:
        name: of its recipe.
        path: its checkpoint.
        cpu_minutes: what the training took.
    """
    recipe = RECIPES[name]
    data = load_text(recipe.text)
    model, vocabulary = load_character_lm(path)
    held_out = vocabulary.encode(data.validation)
    count = len(held_out) // (WINDOW + 1)
    windows = nats(model, held_out[: count * (WINDOW + 1)], parallel=count)
    where = f"the last 10 % of {'tiny Shakespeare' if recipe.text == 'Shakespeare' else 'torch/nn/modules'}"
    values: dict[str, tuple[float | Estimate, str]] = {
        "nats": (nats(model, held_out), f"nats a character on {where}, read from its first to its last"),
        "windows": (
            windows,
            f"nats a character on {where}, in windows of {WINDOW}, each from a state of zeros",
        ),
        "parameters": (sum(weight.numel() for weight in model.parameters()), "parameters"),
        "cpu-minutes": (cpu_minutes, "CPU minutes of training"),
    }
    if name in ("lm", "code"):
        for temperature in TEMPERATURES:
            written = samples(model, vocabulary, temperature)
            values |= knowledge(
                name, written, f"{temperature:g}", f"20 samples at temperature {temperature:g}"
            )
        real = pieces(data.validation, length=min(2000, len(data.validation) // 20))
        values |= knowledge(name, real, "text", f"20 pieces of {where}")
        values |= knowledge(name, list(map(shuffled, real)), "shuffled", "the same, characters shuffled")
    results = []
    for metric, (value, what) in values.items():
        published = PUBLISHED if name in ("quick", "six", "lm") and metric in ("nats", "windows") else None
        results.append(
            Measurement(
                id=f"character-{name}-{metric}",
                experiment="character-lm",
                metric=f"{recipe.what}: {what}",
                value=value.mean if isinstance(value, Estimate) else value,
                spread=value.deviation if isinstance(value, Estimate) else None,
                published=published,
                published_source=SOURCE if published else "",
            )
        )
    return results


def knowledge(name: str, texts: list[str], of: str, where: str) -> dict[str, tuple[float | Estimate, str]]:
    """Return what texts show of what a model knows; see `course_lib.metrics.knowledge`.

    Args:
        name: "lm", for words and speeches, or "code", for brackets and quotes.
        texts: to count in.
        of: what they are, for the id.
        where: what they are, in words.
    """
    if name == "code":
        return {
            f"brackets-{of}": (
                estimate(fitting_brackets, texts),
                f"share of closing brackets that fit, {where}",
            ),
            f"quotes-{of}": (estimate(paired_quotes, texts), f"share of lines whose quotes pair, {where}"),
        }
    known = set(letters(load_tiny_shakespeare().train))
    return {
        f"words-{of}": (
            estimate(lambda text: real_words(text, known), texts),
            f"share of words that stand in the training text, {where}",
        ),
        f"speeches-{of}": (
            estimate(speeches, texts),
            f"share of paragraphs that are a name and a line, {where}",
        ),
    }


def shuffled(text: str) -> str:
    """Return the characters of a text in random order: all that is known then is how frequent they are."""
    characters = list(text)
    random.Random(0).shuffle(characters)
    return "".join(characters)


def samples(
    model: LanguageModel,
    vocabulary: CharacterVocabulary,
    temperature: float,
    count: int = 20,
    length: int = 2000,
    seed: int = 0,
) -> list[str]:
    """Return texts that a model writes after the end of a line.

    Args:
        model: of characters, in eval mode.
        vocabulary: of the model.
        temperature: above 0.
        count: how many texts.
        length: characters of each.
        seed: of the random numbers.
    """
    last, state = model.read(vocabulary.encode("\n").expand(count, 1))
    generator = torch.Generator().manual_seed(seed)
    drawn = sample(model.next_token, state, last, None, length, temperature, generator=generator)
    return [vocabulary.decode(text.tokens) for text in drawn]


def pieces(text: str, count: int = 20, length: int = 2000) -> list[str]:
    """Return pieces of a real text, spread evenly over it, to measure beside samples.

    Raises:
        ValueError: the text is too short for them.
    """
    apart = len(text) // count
    if apart < length:
        raise ValueError(f"text has {len(text)} characters; {count} pieces need {count * length} or more")
    return [text[i * apart : i * apart + length] for i in range(count)]


def run(name: str, budget: Budget) -> Outcome:
    """Train a model of characters and measure it."""
    *_, progress = train_characters(name, budget.folder, budget.minutes)
    if progress.stopped == "paused":
        return PAUSED
    path = budget.folder / f"character_{name}.safetensors"
    return Outcome(character_results(name, path, progress.cpu_seconds / 60), [path])


EXPERIMENTS = [
    Experiment(
        f"character_{name}",
        f"characters, {recipe.what}",
        recipe.minutes,
        partial(run, name),
        ships=("character_lm.safetensors",) if name == "lm" else (),
    )
    for name, recipe in RECIPES.items()
]
