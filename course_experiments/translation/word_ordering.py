"""Word ordering: the words of a sentence come shuffled; write the sentence.

A task on which a search matters: the same words, and many orders that begin well. It compares cross-entropy
with beam-search optimisation, as Wiseman and Rush 2016 do (section 5.1, table 1).
"""

import itertools
from collections.abc import Iterator, Sequence
from copy import deepcopy
from pathlib import Path
from typing import NamedTuple

import torch
from torch import Tensor

from course_experiments.protocol import Experiment, Outcome, over_seeds, side_by_side
from course_experiments.results import Measurement
from course_lib.applications.orderer import Orderer, begin, only_remaining
from course_lib.data import load_tatoeba
from course_lib.data.batches import Batch, Ids, length_batches
from course_lib.data.special import BEGIN, END, PAD, SPECIAL
from course_lib.decoding import LengthPenalty, beam_search, greedy_search
from course_lib.metrics.text import corpus_bleu
from course_lib.text.vocabulary import WordVocabulary, split_words
from course_lib.training.beam_search_optimisation import find_violations, margin_loss, search_by_score
from course_lib.training.loop import Progress, Schedule, fit
from course_lib.training.objectives import next_token_loss, validation_loss

WORDS = 1000
SHORTEST, LONGEST = 5, 10  # words and marks of a sentence
BATCH_SIZE = 64
LIMIT = LONGEST + 4  # tokens that a search may write
BEAMS = (1, 5, 10)
TRAINING_BEAM = 6  # one more than the search that is to follow
DROPOUT = 0.2
STEPS, LONGER_STEPS = 75, 200  # batches in an epoch of beam-search optimisation
PRETRAINING = Schedule(epochs=6, learning_rate=3e-3, warmup=200, patience=99)
BEAM_SEARCH = Schedule(epochs=4, learning_rate=1e-3, warmup=50, patience=99)
MORE = Schedule(epochs=4, learning_rate=1e-3, warmup=50, patience=99)  # about the same CPU time
LONGER_MORE = Schedule(epochs=13, learning_rate=1e-3, warmup=50, patience=99)
SEEDS = (0, 1)
SEARCHES = {"free": False, "constrained": True}
MODELS = {
    "start": "cross-entropy, the start",
    "more": "cross-entropy for more epochs",
    "bso": "beam-search optimisation",
    "conbso": "beam-search optimisation, constrained in training",
    "longer-more": "cross-entropy, longer",
    "longer-conbso": "beam-search optimisation, constrained, longer",
}
NORMALISED = ("start", "more", "longer-more")
PUBLISHED = {
    "more": {1: 25.2, 5: 29.8, 10: 31.0},
    "bso": {1: 28.0, 5: 33.2, 10: 34.3},
    "conbso": {1: 28.6, 5: 34.3, 10: 34.5},
}
SOURCE = (
    "Wiseman and Rush 2016, table 1 (quoted from memory): newspaper sentences of any length and all their "
    "words, larger LSTMs, some forty epochs"
)


class Task(NamedTuple):
    """Sentences as word ids, every word known."""

    vocabulary: tuple[str, ...]
    train: list[Ids]
    validation: list[Ids]
    test: list[Ids]


def load_task() -> Task:
    """Take the English sentences of Tatoeba that have 5 to 10 words, all among the 1,000 commonest."""
    data = load_tatoeba("fra")
    texts = {
        split: list(dict.fromkeys(pair.source for pair in getattr(data, split)))
        for split in ("train", "validation", "test")
    }
    words = WordVocabulary.learn(" ".join(texts["train"]), WORDS).words[1:]
    ids = {word: i for i, word in enumerate(words, start=len(SPECIAL))}
    sentences = {
        split: [
            [ids[word] for word in found]
            for found in map(split_words, lines)
            if SHORTEST <= len(found) <= LONGEST and all(word in ids for word in found)
        ]
        for split, lines in texts.items()
    }
    return Task((*SPECIAL, *words), **sentences)


def shuffled_pairs(sentences: Sequence[Ids], seed: int) -> list[tuple[Ids, Ids]]:
    """Return (shuffled words and </s>, <s>, sentence and </s>) of each sentence."""
    generator = torch.Generator().manual_seed(seed)
    return [
        (
            [sentence[i] for i in torch.randperm(len(sentence), generator=generator)] + [END],
            [BEGIN, *sentence, END],
        )
        for sentence in sentences
    ]


def order_words(
    model: Orderer, sources: Sequence[Ids], beam_size: int, constrained: bool, normalised: bool
) -> list[Ids]:
    """Write sentences.

    Args:
        model: trained.
        sources: shuffled words, </s> last.
        beam_size: 1 or more.
        constrained: only remaining words may be written.
        normalised: search by log-probability, as after cross-entropy; otherwise by f, as after beam-search
            optimisation.

    Returns:
        the words of each sentence, without </s>.
    """
    model.eval()
    step = model.log_prob if normalised else model.score
    step = only_remaining(step) if constrained else step
    order = sorted(range(len(sources)), key=lambda i: len(sources[i]))
    written: dict[int, Ids] = {}
    for start in range(0, len(order), 100):
        chosen = order[start : start + 100]
        source = torch.nn.utils.rnn.pad_sequence([torch.tensor(sources[i]) for i in chosen], True, PAD)
        with torch.no_grad():
            state = begin(model, source, constrained)
        first = torch.full((len(source),), BEGIN)
        if not normalised:
            found = [list(s.tokens) for s in search_by_score(step, state, first, END, LIMIT, beam_size)]
        elif beam_size == 1:
            found = [list(h.tokens) for h in greedy_search(step, state, first, END, LIMIT)]
        else:
            results = beam_search(step, state, first, END, LIMIT, beam_size, LengthPenalty("average"))
            found = [list(result.hypotheses[0].tokens) for result in results]
        written.update(zip(chosen, found, strict=True))
    return [[token for token in written[i] if token != END] for i in range(len(sources))]


def ordering_bleu(
    model: Orderer, task: Task, sentences: Sequence[Ids], beam_size: int, constrained: bool, normalised: bool
) -> float:
    """Return BLEU, 0 to 100, of sentences whose words were shuffled with seed 0; see `order_words`."""
    sources = [source for source, _ in shuffled_pairs(sentences, 0)]
    written = order_words(model, sources, beam_size, constrained, normalised)

    def text(ids: Ids) -> str:
        return " ".join(task.vocabulary[i] for i in ids).replace(" .", ".")  # sacrebleu expects plain text

    return corpus_bleu([text(ids) for ids in written], [[text(ids)] for ids in sentences]).score


def batches_of(sentences: Sequence[Ids], draw: int) -> Iterator[Batch]:
    """Shuffle the words of every sentence and the sentences; another `draw` shuffles differently."""
    return length_batches(shuffled_pairs(sentences, draw), BATCH_SIZE, PAD, seed=draw)


def train_cross_entropy(model: Orderer, task: Task, schedule: Schedule, draw: int, folder: Path) -> Progress:
    """Train on the next word given the true ones before it; see `fit`.

    Args:
        draw: shuffles the words of the first epoch; the next ones take the numbers that follow.
    """
    held_out = list(length_batches(shuffled_pairs(task.validation, 0), BATCH_SIZE, PAD))

    def loss(batch: Batch) -> Tensor:
        total, tokens = next_token_loss(model, batch)
        return total / tokens

    return fit(
        model,
        loss,
        lambda epoch: batches_of(task.train, draw + epoch),
        -(-len(task.train) // BATCH_SIZE),
        lambda: validation_loss(model, held_out),
        schedule,
        folder,
    )


def train_beam_search(
    model: Orderer,
    task: Task,
    schedule: Schedule,
    constrained: bool,
    draw: int,
    folder: Path,
    steps: int,
    first_beam: int = 2,
) -> Progress:
    """Train a model that cross-entropy has trained on the mistakes of its beam search; see `fit`.

    The beam grows by two in each epoch, up to 6. The search sees the whole network; the loss, one with
    dropout.

    Args:
        constrained: the search may only write remaining words.
        draw: see `train_cross_entropy`.
        steps: batches in an epoch.
        first_beam: the beam of the first epoch, 2 or more.
    """
    step = only_remaining(model.score) if constrained else model.score

    def loss(drawn: tuple[int, Batch]) -> Tensor:
        beam_size, batch = drawn
        first, gold = batch.target[:, 0], batch.target[:, 1:]
        model.eval()
        with torch.no_grad():
            state = begin(model, batch.source, constrained)
        found = find_violations(step, state, first, gold, END, beam_size)
        model.train()
        return margin_loss(step, begin(model, batch.source, constrained), first, gold, END, found)

    def batches(epoch: int) -> Iterator[tuple[int, Batch]]:
        beam_size = min(first_beam + 2 * epoch, TRAINING_BEAM)
        for batch in itertools.islice(batches_of(task.train, draw + epoch), steps):
            yield beam_size, batch

    def validate() -> float:
        return -ordering_bleu(model, task, task.validation, TRAINING_BEAM - 1, constrained, False)

    count = min(steps, -(-len(task.train) // BATCH_SIZE))
    return fit(model, loss, batches, count, validate, schedule, folder)


def pretrain(task: Task, seed: int, folder: Path) -> tuple[Orderer, Progress]:
    """Train a fresh model by cross-entropy: where all further training starts."""
    torch.manual_seed(seed)
    model = Orderer(len(task.vocabulary), dropout=DROPOUT)
    return model, train_cross_entropy(model, task, PRETRAINING, 1000 * seed + 1, folder / "start")


def train_all(task: Task, seed: int, folder: Path) -> dict[str, tuple[Orderer, Progress]]:
    """Train one start, from it three models for about the same further CPU time, and two of these for longer.

    Args:
        seed: of the weights and of all shuffling.
        folder: where the training states are kept; what is finished there is not trained again.

    Returns:
        the models of `MODELS`, by name: "start"; from it "more" (cross-entropy), "bso" and "conbso"
        (beam-search optimisation, free and constrained); and what goes on from "more" and "conbso".
    """
    start, started = pretrain(task, seed, folder)
    first = 1000 * seed
    trained = {"start": (start, started)}

    def cross_entropy(name: str, source: str, schedule: Schedule, draw: int) -> None:
        model = deepcopy(trained[source][0])
        trained[name] = model, train_cross_entropy(model, task, schedule, first + draw, folder / name)

    def beam_search_optimisation(
        name: str, source: str, constrained: bool, draw: int, steps: int = STEPS, first_beam: int = 2
    ) -> None:
        model, place = deepcopy(trained[source][0]), folder / name
        progress = train_beam_search(
            model, task, BEAM_SEARCH, constrained, first + draw, place, steps, first_beam
        )
        trained[name] = model, progress

    cross_entropy("more", "start", MORE, 201)
    beam_search_optimisation("bso", "start", False, 501)
    beam_search_optimisation("conbso", "start", True, 501)
    cross_entropy("longer-more", "more", LONGER_MORE, 301)
    beam_search_optimisation("longer-conbso", "conbso", True, 701, LONGER_STEPS, TRAINING_BEAM)
    return trained


def measure_seed(folder: Path, seed: int) -> dict[str, float]:
    """Train all models of one seed; return test BLEU, CPU minutes and validation BLEU by epoch, by name."""
    task = load_task()
    measured = {}
    for name, (model, progress) in train_all(task, seed, folder / f"seed{seed}").items():
        measured[f"{name}-cpu-minutes"] = progress.cpu_seconds / 60  # its own, without what it goes on from
        if name not in NORMALISED:
            for epoch in progress.history:
                measured[f"{name}-epoch{epoch['epoch']}"] = -epoch["validation_loss"]
        for search, constrained in SEARCHES.items():
            for beam in BEAMS:
                bleu = ordering_bleu(model, task, task.test, beam, constrained, name in NORMALISED)
                measured[f"{name}-{search}-beam{beam}"] = bleu
    return measured


def word_ordering_results(folder: Path) -> list[Measurement]:
    """Train on all seeds, two side by side; return what is to be recorded.

    Args:
        folder: where the training states are kept.
    """
    seeds = side_by_side(measure_seed, [(folder, seed) for seed in SEEDS])
    results = []
    for key in seeds[0]:
        name = max((model for model in MODELS if key.startswith(f"{model}-")), key=len)
        what = key.removeprefix(f"{name}-")
        values = [measured[key] for measured in seeds]
        search, _, beam = what.partition("-beam")
        published = (
            PUBLISHED.get(name.removeprefix("longer-"), {}).get(int(beam))
            if search == "constrained"
            else None
        )
        if beam:
            unit = f"BLEU of a {search} search, beam {beam}"
        elif what.startswith("epoch"):
            number = what.removeprefix("epoch")
            unit = f"validation BLEU, beam {TRAINING_BEAM - 1}, after epoch {number}"
        else:
            unit = "CPU minutes of training"
        results.append(
            over_seeds(
                f"word-ordering-{key}",
                "word-ordering",
                f"word ordering, {MODELS[name]}: {unit}, {len(SEEDS)} seeds",
                values,
                published=published,
                published_source=SOURCE if published else "",
            )
        )
    return results


EXPERIMENTS = [
    Experiment(
        "word_ordering",
        "word ordering: beam-search optimisation, two seeds",
        20,
        lambda budget: Outcome(word_ordering_results(budget.folder)),
    )
]
