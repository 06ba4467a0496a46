"""Train a language model that reads from both sides, and measure it."""

import math
import statistics
from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np
import torch
from jaxtyping import Int
from torch import Tensor

from course_experiments.protocol import Budget, Experiment, Outcome
from course_experiments.results import Measurement
from course_experiments.words.senses import WAYS, share, tell_senses
from course_lib.applications.contextual_reader import ContextualReader, load_reader, save_reader
from course_lib.data.batches import Ids, length_batches
from course_lib.data.wiki_geo import load_glove, load_wiki_geo
from course_lib.data.word_senses import load_word_senses
from course_lib.recurrent.bidirectional_lm import BidirectionalLanguageModel
from course_lib.text.bpe import BytePairEncoding
from course_lib.training.loop import Progress, Schedule, fit
from course_lib.words.training import train_word_vectors

MERGES = 1800
SIZES = {"size": 64, "layers": 2}
BATCH_SIZE = 32
SCHEDULE = Schedule(epochs=3, learning_rate=5e-3, warmup=200)
HELD_OUT = 50  # one sentence of so many
PUBLISHED = {"both-1": 0.674, "both-2": 0.69}
SOURCE = (
    "Peters et al. 2018, table 5, first and second layer: F1 of the nearest labelled sense, all words of "
    "other texts, senses of WordNet; their model is hundreds of times as large"
)


def split() -> tuple[list[str], list[str]]:
    """Return the sentences to train on, and those held out.

    Sentences with a labelled sense are in neither: the model has not read them.
    """
    labelled = {occurrence.number for group in load_word_senses().values() for occurrence in group}
    training: list[str] = []
    held_out: list[str] = []
    for number, words in enumerate(load_wiki_geo().sentences):
        if number not in labelled:
            (held_out if number % HELD_OUT == 0 else training).append(" ".join(words))
    return training, held_out


def padded(
    sentences: Sequence[Ids], pad_id: int, seed: int | None = None
) -> Iterator[tuple[Int[Tensor, "batch time"], Int[Tensor, "batch"]]]:
    """Yield batches of tokens and lengths, sentences of similar length together; see `length_batches`."""
    for tokens, _ in length_batches([(ids, []) for ids in sentences], BATCH_SIZE, pad_id, seed):
        yield tokens, (tokens != pad_id).sum(1)


@torch.no_grad()
def nats_a_token(
    model: BidirectionalLanguageModel, sentences: Sequence[Ids], pad_id: int
) -> tuple[float, float]:
    """Return the loss of each direction, from the left and from the right, in nats a token."""
    totals, tokens = [0.0, 0.0], 0
    for batch, lengths in padded(sentences, pad_id):
        guessed = int((lengths - 1).sum())
        for side, loss in enumerate(model.losses(batch, lengths)):
            totals[side] += guessed * loss.item()
        tokens += guessed
    return totals[0] / tokens, totals[1] / tokens


def unigram_nats(training: Sequence[Ids], held_out: Sequence[Ids], pieces: int) -> float:
    """Return the loss of a model that knows only how often each piece occurs, in nats a token.

    Args:
        training: sentences to count in; 1 is added to each count.
        held_out: sentences to guess; in both, the first token (a mark) is left out.
        pieces: number of different pieces.
    """
    counts = 1 + np.bincount([token for sentence in training for token in sentence[1:]], minlength=pieces)
    logs = np.log(counts / counts.sum())
    return -statistics.fmean(float(logs[token]) for sentence in held_out for token in sentence[1:])


def train_contextual(path: Path) -> list[Measurement]:
    """Train the model, write it, and return what is to be recorded.

    Args:
        path: a file ending in .safetensors; the training state stands beside it.
    """
    torch.manual_seed(0)
    training, held_out = split()
    encoding = BytePairEncoding.train(training, MERGES)
    model, pad_id = BidirectionalLanguageModel(len(encoding), **SIZES), encoding.pad_id
    reader = ContextualReader(model, encoding)
    rows, held_out_rows = ([reader.sentence(text.split()) for text in part] for part in (training, held_out))
    progress = fit(
        model,
        lambda batch: torch.stack(model.losses(*batch)).sum(),
        lambda epoch: padded(rows, pad_id, seed=epoch),
        -(-len(rows) // BATCH_SIZE),
        lambda: sum(nats_a_token(model, held_out_rows, pad_id)),
        SCHEDULE,
        path.parent,
    )
    save_reader(path, reader, SIZES)
    return contextual_results(load_reader(path), progress)


def untrained_shares(encoding: BytePairEncoding, seeds: int = 5) -> list[dict[str, float]]:
    """Return how well models tell senses that have learned nothing: for each seed, way -> share."""
    shares = []
    for seed in range(seeds):
        torch.manual_seed(seed)
        fresh = ContextualReader(BidirectionalLanguageModel(len(encoding), **SIZES).eval(), encoding)
        shares.append({name: share(told).value for name, told in tell_senses(fresh, {}).items()})
    return shares


def contextual_results(reader: ContextualReader, progress: Progress) -> list[Measurement]:
    """Measure a trained model: how well it guesses, and whether its vectors tell senses apart.

    Args:
        reader: a trained model.
        progress: of its training.
    """
    training, held_out = split()
    rows, held_out_rows = ([reader.sentence(text.split()) for text in part] for part in (training, held_out))
    words = sum(len(text.split()) for text in held_out)
    forward, backward = nats_a_token(reader.model, held_out_rows, reader.encoding.pad_id)
    alone = unigram_nats(rows, held_out_rows, len(reader.encoding))
    where = f"perplexity a piece on {len(held_out):,} held-out sentences of wiki_geo"
    model = "two-sided language model"
    values: dict[str, tuple[float, str]] = {
        "perplexity-forward": (math.exp(forward), f"{model}, from the left: {where}"),
        "perplexity-backward": (math.exp(backward), f"{model}, from the right: {where}"),
        "perplexity-unigram": (math.exp(alone), f"only how often each piece occurs: {where}"),
        "pieces-a-word": (
            sum(len(row) - 2 for row in held_out_rows) / words,
            f"{model}: pieces a word on the held-out sentences",
        ),
        "parameters": (sum(weight.numel() for weight in reader.model.parameters()), f"{model}: parameters"),
        "cpu-minutes": (
            progress.cpu_seconds / 60,
            f"{model}: CPU minutes of training, {progress.epoch} of {SCHEDULE.epochs} passes",
        ),
    }
    word2vec = train_word_vectors([text.split() for text in training])
    task = "share of 96 occurrences whose nearest other one has their sense (guessing gives 0.5)"
    for name, told in tell_senses(reader, {"glove": load_glove(), "word2vec": word2vec}).items():
        right = share(told)
        values[f"senses-{name}"] = (right.value, f"{WAYS[name]}: {task}, standard error {right.error:.3f}")
    chance = untrained_shares(reader.encoding)
    for name in chance[0]:
        mean = statistics.fmean(shares[name] for shares in chance)
        values[f"senses-untrained-{name}"] = (
            mean,
            f"{WAYS[name]}, weights of {len(chance)} untrained models, mean: {task}",
        )
    return [
        Measurement(
            id=f"contextual-{id}",
            experiment="contextual",
            metric=metric,
            value=value,
            published=PUBLISHED.get(id.removeprefix("senses-")),
            published_source=SOURCE if id.removeprefix("senses-") in PUBLISHED else "",
        )
        for id, (value, metric) in values.items()
    ]


def run(budget: Budget) -> Outcome:
    """Train the model and measure it."""
    path = budget.folder / "contextual.safetensors"
    return Outcome(train_contextual(path), [path])


EXPERIMENTS = [
    Experiment(
        "contextual",
        "a language model from both sides, and the senses of words",
        15,
        run,
        ships=("contextual.safetensors",),
    )
]
