"""Train a small language model that reads English word by word, with an LSTMN or an LSTM inside."""

import math
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Literal, get_args

import torch
from jaxtyping import Int
from torch import Tensor

from course_experiments.protocol import PAUSED, Budget, Experiment, Outcome
from course_experiments.results import Measurement
from course_lib.applications.word_reader import (
    KNOWN_FIRST,
    Kind,
    Reader,
    load_reader,
    look_back,
    save_reader,
    words_of,
)
from course_lib.data import load_tatoeba
from course_lib.data.batches import length_batches, pad
from course_lib.data.special import END, PAD
from course_lib.training.loop import Progress, Schedule, fit
from course_lib.training.objectives import summed_cross_entropy

VOCABULARY = 4000
BATCH_SIZE = 64
SCHEDULE = Schedule(epochs=4, learning_rate=4e-3, warmup=100)

PUBLISHED = {"reading-lstmn-perplexity": 108.0, "reading-lstm-perplexity": 115.0}
SOURCE = "Cheng, Dong and Lapata 2016, table 1, one layer; Penn Treebank, 300 units, another vocabulary"


def next_word_loss(model: Reader, tokens: Int[Tensor, "batch time"]) -> tuple[Tensor, int]:
    """Return the summed cross-entropy in nats of each next word, and their number; pads count in neither."""
    logits, _ = model(tokens[:, :-1])
    return summed_cross_entropy(logits, tokens[:, 1:], PAD)


def english(split: Literal["train", "validation"]) -> list[str]:
    """Return the English sentences of a split, each once, in file order."""
    return list(dict.fromkeys(pair.source for pair in getattr(load_tatoeba("fra"), split)))


def reading_batches(model: Reader, texts: Iterable[str]) -> list[Int[Tensor, "batch time"]]:
    """Return the texts as padded ids, those of like length together."""
    ids = sorted(map(model.encode, texts), key=len)
    return [pad(ids[i : i + 256], PAD) for i in range(0, len(ids), 256)]


@torch.no_grad()
def mean_loss(model: Reader, texts: Iterable[str]) -> float:
    """Return nats a word, teacher-forced; the end of a sentence counts as a word."""
    totals, counts = zip(*(next_word_loss(model, b) for b in reading_batches(model, texts)), strict=True)
    return float(sum(totals)) / sum(counts)


def perplexity(model: Reader, texts: Iterable[str]) -> float:
    """Return exp(nats a word), teacher-forced: as hard as choosing among so many words alike."""
    return math.exp(mean_loss(model, texts))


@dataclass(frozen=True)
class Links:
    """Where an LSTMN looks back, over the steps that have more than `FARTHEST` earlier words.

    Args:
        back: share of the steps whose strongest link goes 1, 2, … words back.
        entropy: mean entropy of a row, as a share of the largest possible: 0 for one word, 1 for all alike.
        steps: how many steps were counted.
    """

    back: tuple[float, ...]
    entropy: float
    steps: int


FARTHEST = 3


@torch.no_grad()
def measure_links(model: Reader, texts: Iterable[str]) -> Links:
    """Read the texts with an LSTMN and count where its links go."""
    distances, entropies = [], []
    for tokens in reading_batches(model, texts):
        weights = look_back(model, tokens[:, :-1])
        real = (tokens[:, 1:] != PAD).tolist()  # the end mark is never read, only guessed
        for t in range(FARTHEST + 1, weights.shape[1]):
            rows = weights[[i for i, row in enumerate(real) if row[t]], t, :t]
            distances.append(t - rows.argmax(dim=-1))
            entropies.append(torch.special.entr(rows).sum(dim=-1) / math.log(t))
    distance, entropy = torch.cat(distances), torch.cat(entropies)
    back = tuple((distance == d).double().mean().item() for d in range(1, FARTHEST + 1))
    return Links(back, entropy.double().mean().item(), len(distance))


def train_reader(
    folder: Path,
    minutes: float | None = None,
    kind: Kind = "lstmn",
    sentences: int | None = None,
    schedule: Schedule = SCHEDULE,
) -> tuple[Reader, Progress]:
    """Train a reader on the English sentences of Tatoeba.

    Args:
        folder: where the training state is kept.
        minutes: pause after about so many minutes of wall-clock time; None never pauses.
        kind: "lstmn", or "lstm" to compare with.
        sentences: how many to learn from; None takes all.
        schedule: how long and how fast.
    """
    torch.manual_seed(0)
    texts = english("train")[:sentences]
    counts = Counter(word for text in texts for word in words_of(text))
    model = Reader([*KNOWN_FIRST, *(word for word, _ in counts.most_common(VOCABULARY))], kind)
    train = [(model.encode(text), [END]) for text in texts]
    held_out = english("validation")

    def batches(epoch: int) -> Iterator[Int[Tensor, "batch time"]]:
        return (batch.source for batch in length_batches(train, BATCH_SIZE, PAD, seed=epoch))

    def loss(batch: Int[Tensor, "batch time"]) -> Tensor:
        total, count = next_word_loss(model, batch)
        return total / count

    progress = fit(
        model,
        loss,
        batches,
        -(-len(train) // BATCH_SIZE),
        lambda: mean_loss(model, held_out),
        schedule,
        folder,
        minutes,
    )
    return model.eval(), progress


def reading_results(trained: Mapping[Kind, tuple[Reader, float]]) -> list[Measurement]:
    """Measure trained readers on the 1,000 validation sentences, for the register.

    Args:
        trained: each kind's reader, and the CPU minutes that its training took.
    """
    texts = english("validation")
    where = f"{len(texts):,} held-out English sentences of Tatoeba"
    values: dict[str, tuple[float, str]] = {}
    for kind, (model, minutes) in trained.items():
        own = f"reading-{kind}"
        values[f"{own}-perplexity"] = (perplexity(model, texts), f"perplexity a word, {where}")
        values[f"{own}-parameters"] = (sum(p.numel() for p in model.parameters()), "parameters")
        values[f"{own}-cpu-minutes"] = (minutes, "CPU minutes of training")
        if kind == "lstmn":
            links = measure_links(model, texts)
            for distance, share in enumerate(links.back, start=1):
                what = f"share of strongest links that go {distance} back, {links.steps:,} steps of {where}"
                values[f"{own}-back-{distance}"] = (share, what)
            what = f"entropy of a row as a share of the largest, {links.steps:,} steps of {where}"
            values[f"{own}-entropy"] = (links.entropy, what)
    return [
        Measurement(
            id=id,
            experiment="reading",
            metric=f"{id.split('-')[1]}: {what}",
            value=value,
            published=PUBLISHED.get(id),
            published_source=SOURCE if id in PUBLISHED else "",
        )
        for id, (value, what) in values.items()
    ]


def run(budget: Budget) -> Outcome:
    """Train an LSTMN and an LSTM beside it, and measure both."""
    trained = {}
    for kind in get_args(Kind):
        reader, progress = train_reader(budget.folder / kind, budget.minutes, kind=kind)
        if progress.stopped == "paused":
            return PAUSED
        trained[kind] = reader, progress.cpu_seconds / 60
    path = budget.folder / "lstmn_english.safetensors"
    save_reader(trained["lstmn"][0], path)
    trained["lstmn"] = load_reader(path), trained["lstmn"][1]
    return Outcome(reading_results(trained), [path])


EXPERIMENTS = [
    Experiment(
        "lstmn_english",
        "a small LSTMN that reads English, and an LSTM beside it",
        5,
        run,
        ships=("lstmn_english.safetensors",),
    )
]
