"""Attention beyond translation: read a story and answer, or say what still holds of it; listen and spell.

All are the course's `EncoderDecoder` with Bahdanau's attention, trained by the course's one loop.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from statistics import fmean
from typing import Any, NamedTuple

import torch
from torch import Tensor

from course_experiments.protocol import PAUSED, Budget, Experiment, Outcome
from course_experiments.results import Measurement
from course_lib.applications.shipped import load_application
from course_lib.applications.speller import LETTERS, Speller, log_spectrogram, sound_batches, spell, spelled
from course_lib.applications.story_reader import (
    answer,
    babi_pairs,
    babi_summaries,
    babi_vocabulary,
    found_support,
    still_holds,
    story_words,
    summarise,
)
from course_lib.checkpoints import save_checkpoint
from course_lib.data.babi import StoryQuestion, load_babi
from course_lib.data.batches import Batch, length_batches
from course_lib.data.special import PAD
from course_lib.data.spoken_digits import SpokenDigit, load_spoken_digits
from course_lib.metrics.alignment import forward_share
from course_lib.metrics.edits import edit_distance
from course_lib.seq2seq.model import EncoderDecoder
from course_lib.training.loop import Progress, Schedule, fit
from course_lib.training.objectives import next_token_loss, validation_loss


@dataclass(frozen=True)
class Application:
    """What one small task is trained on."""

    sizes: dict[str, Any]
    schedule: Schedule
    batch_size: int
    dropout: float


READER = Schedule(30, 5e-3, warmup=100, patience=30)
APPLICATIONS = {
    "reader": Application({"decoder": "bahdanau", "embedding_size": 32, "hidden_size": 64}, READER, 32, 0.1),
    "reader_without": Application(
        {"decoder": "cho", "embedding_size": 32, "hidden_size": 64}, READER, 32, 0.1
    ),
    "summariser": Application(
        {"decoder": "bahdanau", "embedding_size": 32, "hidden_size": 64}, READER, 32, 0.1
    ),
    "summariser_without": Application(
        {"decoder": "cho", "embedding_size": 32, "hidden_size": 64}, READER, 32, 0.1
    ),
    "speller": Application(
        {"embedding_size": 64, "hidden_size": 96}, Schedule(10, 4e-3, warmup=50, patience=10), 32, 0.2
    ),
}


class Setting(NamedTuple):
    """A model before training, and what it learns from."""

    model: EncoderDecoder
    config: dict[str, Any]  # what builds the model again
    data: list[Any]
    held_out: list[Any]  # chooses the epoch; never a test example
    batches: Callable[..., Iterator[Batch]]


def prepare(name: str) -> Setting:
    """Build an untrained model and cut its training data: one tenth is held out."""
    recipe = APPLICATIONS[name]
    if name == "speller":
        clips = load_spoken_digits().train
        heard = {clip: (log_spectrogram(clip.wave), spelled(clip.word)) for clip in clips}
        data = [example for clip, example in heard.items() if clip.take < 14]
        held_out = [example for clip, example in heard.items() if clip.take == 14]
        speller = Speller(len(LETTERS), **recipe.sizes, dropout=recipe.dropout)
        return Setting(speller, speller.config, data, held_out, sound_batches)
    questions = load_babi(1).train
    names = babi_vocabulary(questions)
    numbered = (babi_summaries if name.startswith("summariser") else babi_pairs)(questions, names)
    reader = EncoderDecoder(vocabulary_size=len(names), **recipe.sizes, dropout=recipe.dropout)
    config = {**reader.config, "vocabulary": names}  # whole stories are held out: five questions each
    return Setting(reader, config, numbered[:900], numbered[900:], partial(length_batches, pad_id=PAD))


def train_application(
    name: str, folder: Path, minutes: float | None = None
) -> tuple[EncoderDecoder, Progress]:
    """Train one of `APPLICATIONS`, seed 0; write `folder/app_NAME.safetensors` at its end.

    Args:
        name: one of `APPLICATIONS`.
        folder: where the state of training is kept.
        minutes: pause after about so many minutes; None never pauses.

    Raises:
        ValueError: no such application.
    """
    if name not in APPLICATIONS:
        raise ValueError(f"name is {name!r}; allowed are {', '.join(map(repr, APPLICATIONS))}")
    recipe = APPLICATIONS[name]
    torch.manual_seed(0)
    model, config, data, held_out, batches = prepare(name)
    validation = list(batches(held_out, 100))

    def loss(batch: Batch) -> Tensor:
        total, tokens = next_token_loss(model, batch)
        return total / tokens

    progress = fit(
        model,
        loss,
        lambda epoch: batches(data, recipe.batch_size, seed=epoch),
        -(-len(data) // recipe.batch_size),
        lambda: validation_loss(model, validation),
        recipe.schedule,
        folder,
        minutes,
    )
    if progress.stopped != "paused":
        small = name.startswith("summariser")
        save_checkpoint(folder / f"app_{name}.safetensors", model.eval(), config, int8=small)
    return model, progress


@dataclass(frozen=True)
class ReaderScores:
    """How a reader does on the test questions of bAbI task 1."""

    error: float  # share of wrong answers, 0 to 1
    support: float | None  # share where the most attended sentence is the supporting one; None: no attention


def measure_reader(
    model: EncoderDecoder, names: Sequence[str], questions: Sequence[StoryQuestion]
) -> ReaderScores:
    """Answer the questions, free-running, and see where the reader looked."""
    found = answer(model, questions, names)
    wrong = [w.text != (q.answer,) for q, w in zip(questions, found, strict=True)]
    if found[0].weights is None:
        return ReaderScores(fmean(wrong), None)
    return ReaderScores(
        fmean(wrong), fmean(found_support(q, w) for q, w in zip(questions, found, strict=True))
    )


@dataclass(frozen=True)
class SummaryScores:
    """How a summariser does on the stories of bAbI task 1; each from 0 to 1."""

    error: float  # share of summaries that are not word for word what still holds
    missing: float  # share of the sentences that still hold and are not in the summary
    untrue: float  # share of the sentences of the summary that do not hold, or were never said


def measure_summariser(
    model: EncoderDecoder, names: Sequence[str], questions: Sequence[StoryQuestion]
) -> SummaryScores:
    """Summarise the stories, free-running, and compare sentence by sentence."""
    found = [" ".join(written.text) for written in summarise(model, questions, names)]
    wanted = [" ".join(story_words(still_holds(q.story))) for q in questions]
    said, true = ([text.removesuffix(" .").split(" . ") for text in texts] for texts in (found, wanted))
    pairs = list(zip(said, true, strict=True))
    return SummaryScores(
        fmean(s != t for s, t in zip(found, wanted, strict=True)),
        sum(each not in s for s, t in pairs for each in t) / sum(map(len, true)),
        sum(each not in t for s, t in pairs for each in s) / sum(map(len, said)),
    )


@dataclass(frozen=True)
class SpellerScores:
    """How a speller does on recordings."""

    word_error: float  # share of words with any wrong letter, 0 to 1
    character_error: float  # edits a letter of the true words
    forward: float  # share of steps in which attention does not move back


def measure_speller(model: EncoderDecoder, clips: Sequence[SpokenDigit]) -> SpellerScores:
    """Spell the recordings, free-running, and see how attention moves."""
    found = spell(model, clips)
    edits = [edit_distance(w.text, clip.word) for clip, w in zip(clips, found, strict=True)]
    letters = sum(len(clip.word) for clip in clips)
    moves = [forward_share(w.weights) for w in found if w.weights is not None]
    return SpellerScores(fmean(e > 0 for e in edits), sum(edits) / letters, fmean(moves))


def application_results(name: str, path: Path, cpu_minutes: float) -> list[Measurement]:
    """Measure a trained application on its test data, for the register.

    Args:
        name: one of `APPLICATIONS`.
        path: its checkpoint.
        cpu_minutes: what the training took.
    """
    model, names = load_application(name, path)
    if name == "speller":
        heard = measure_speller(model, load_spoken_digits().test)
        where = "300 test recordings of spoken digits, known voices"
        values = {
            "word-error": (heard.word_error, f"share of words misspelt, {where}"),
            "character-error": (heard.character_error, f"edits a letter, {where}"),
            "forward": (heard.forward, f"share of steps in which attention does not move back, {where}"),
        }
    elif name.startswith("summariser"):
        told = measure_summariser(model, names, load_babi(1).test)
        where = "bAbI 1.1 task 1, 1,000 test stories, trained on 900"
        values = {
            "error": (told.error, f"share of summaries that are not word for word what still holds, {where}"),
            "missing": (told.missing, f"share of sentences that still hold and are missing, {where}"),
            "untrue": (told.untrue, f"share of sentences written that do not hold, {where}"),
        }
    else:
        read = measure_reader(model, names, load_babi(1).test)
        where = "bAbI 1.1 task 1, 1,000 test questions, trained on 900"
        values = {"error": (read.error, f"share of wrong answers, {where}")}
        if read.support is not None:
            values["support"] = (
                read.support,
                f"share of questions whose most attended sentence is the supporting one, {where}",
            )
    values["cpu-minutes"] = (cpu_minutes, "CPU minutes of training")
    slug = f"app-{name.replace('_', '-')}"
    return [
        Measurement(
            id=f"{slug}-{metric}",
            experiment="applications",
            metric=f"{slug}: {what}",
            value=value,
        )
        for metric, (value, what) in values.items()
    ]


def run(name: str, budget: Budget) -> Outcome:
    """Train an application and measure it."""
    _, progress = train_application(name, budget.folder, budget.minutes)
    if progress.stopped == "paused":
        return PAUSED
    path = budget.folder / f"app_{name}.safetensors"
    return Outcome(application_results(name, path, progress.cpu_seconds / 60), [path])


EXPERIMENTS = [
    Experiment(
        f"app_{name}",
        "attention at work, lecture 11d",
        1,
        partial(run, name),
        ships=(f"app_{name}.safetensors",),
    )
    for name in APPLICATIONS
]
