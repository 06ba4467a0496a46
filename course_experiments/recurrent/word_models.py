"""Train language models of words on Shakespeare, and measure what a large vocabulary costs."""

import math
from pathlib import Path

import torch
from torch import nn
from torch.nn import functional

from course_experiments.protocol import Experiment, Outcome
from course_experiments.recurrent.characters import train_on_text
from course_experiments.results import Measurement
from course_experiments.speed.harness import fastest
from course_lib.data import load_tiny_shakespeare
from course_lib.recurrent.language_model import LanguageModel, nats
from course_lib.text.vocabulary import WordVocabulary
from course_lib.training.loop import Progress, Schedule

VOCABULARY = 4000
SIZE = 128
BATCH_SIZE, STEPS = 32, 32
SCHEDULE = Schedule(epochs=3, learning_rate=4e-3, warmup=100)
ENGLISH = 170_000  # words in current use in the Oxford English Dictionary, second edition, rounded


def build(vocabulary_size: int, tied: bool) -> LanguageModel:
    """Return a fresh model of words: an LSTM between a table that embeds and one that scores."""
    torch.manual_seed(0)
    return LanguageModel(vocabulary_size, SIZE, embedding_size=SIZE, dropout=0.2, tied=tied)


def train_words(
    tied: bool, folder: Path, minutes: float | None = None
) -> tuple[LanguageModel, WordVocabulary, Progress]:
    """Train a model of words on the first 90 % of Shakespeare.

    Args:
        tied: one table embeds and scores; otherwise two.
        folder, minutes: see `train_on_text`.
    """
    data = load_tiny_shakespeare()
    vocabulary = WordVocabulary.learn(data.train, VOCABULARY)
    model = build(len(vocabulary), tied)
    train, held_out = vocabulary.encode(data.train), vocabulary.encode(data.validation)
    progress = train_on_text(model, train, held_out, SCHEDULE, folder, minutes, BATCH_SIZE, STEPS)
    return model.eval(), vocabulary, progress


def unknown_share(vocabulary: WordVocabulary, text: str) -> float:
    """Return the share of a text's words, 0 to 1, that the vocabulary reads as <unk>."""
    return (vocabulary.encode(text) == 0).double().mean().item()


def softmax_seconds(
    vocabulary_size: int, hidden_size: int = SIZE, tokens: int = 64, repeats: int = 3
) -> float:
    """Return the CPU seconds of scoring all words and going back, the best of several runs.

    Args:
        vocabulary_size: words.
        hidden_size: features of a state.
        tokens: words that are predicted at once.
        repeats: how often to measure.
    """
    head = nn.Linear(hidden_size, vocabulary_size)
    states, targets = torch.randn(tokens, hidden_size), torch.randint(vocabulary_size, (tokens,))

    def score_and_go_back() -> None:
        head.zero_grad()
        functional.cross_entropy(head(states), targets).backward()

    return fastest(score_and_go_back, repeats + 1)


def word_results(folder: Path) -> list[Measurement]:
    """Train both models of words and return what is to be recorded.

    Args:
        folder: where the training states are kept.
    """
    data = load_tiny_shakespeare()
    values: dict[str, tuple[float, str]] = {}
    for name in ("tied", "untied"):
        model, vocabulary, progress = train_words(name == "tied", folder / name)
        loss = nats(model, vocabulary.encode(data.validation))
        parameters = sum(weight.numel() for weight in model.parameters())
        what = f"{name} softmax, {len(vocabulary):,} words"
        values |= {
            f"{name}-perplexity": (math.exp(loss), f"{what}: perplexity a word, <unk> counted as a word"),
            f"{name}-parameters": (parameters, f"{what}: parameters"),
            f"{name}-cpu-minutes": (progress.cpu_seconds / 60, f"{what}: CPU minutes of training"),
        }
        values["unknown"] = (
            unknown_share(vocabulary, data.validation),
            f"share of validation words that are <unk>, {len(vocabulary):,} words",
        )
    for size in (1000, 10_000, ENGLISH):
        what = f"CPU milliseconds to score 64 words and go back, {SIZE} features, V = {size:,}"
        values[f"softmax-{size}"] = (1000 * softmax_seconds(size), what)
    return [
        Measurement(
            id=f"word-lm-{id}",
            experiment="word-lm",
            metric=f"word model, {what}" if "milliseconds" not in what else what,
            value=value,
        )
        for id, (value, what) in values.items()
    ]


EXPERIMENTS = [
    Experiment(
        "word_lm",
        "words of Shakespeare, tied and untied softmax",
        3,
        lambda budget: Outcome(word_results(budget.folder)),
    )
]
