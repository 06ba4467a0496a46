"""Train the course's translators and measure them."""

import math
import statistics
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import torch
from torch import Tensor

from course_experiments.protocol import Budget, Experiment, Outcome
from course_lib.applications.families import build
from course_lib.applications.translator import (
    LARGE_ENCODING,
    SHIPPED_ENCODING,
    Translator,
    french_words,
    translate_all,
)
from course_lib.data import ReferencedSentence, SentencePair, load_more_tatoeba, load_tatoeba
from course_lib.data.alignment_gold import split_english
from course_lib.data.batches import Batch, length_batches
from course_lib.metrics.text import bleu_spread, corpus_bleu, invented_words
from course_lib.seq2seq.character import characters
from course_lib.seq2seq.model import Seq2Seq
from course_lib.text import BytePairEncoding
from course_lib.training.loop import Progress, Schedule, fit
from course_lib.training.objectives import next_token_loss, validation_loss

MERGES = {SHIPPED_ENCODING.name: 3000, LARGE_ENCODING.name: 8000}
EMBEDDING_SIZE = 128


@dataclass(frozen=True)
class Recipe:
    """How one translator is built and trained."""

    sizes: dict[str, Any]
    schedule: Schedule
    dropout: float = 0.2
    label_smoothing: float = 0.0
    batch_size: int = 64
    bfloat16: bool = False  # matrix products of training, in half of the bytes


RECURRENT = Schedule(epochs=16, learning_rate=3e-3)
RECIPES = {
    "sutskever": Recipe(
        {"family": "sutskever", "embedding_size": EMBEDDING_SIZE, "hidden_size": 160, "layers": 2}, RECURRENT
    ),
    **{
        decoder: Recipe({"decoder": decoder, "embedding_size": EMBEDDING_SIZE, "hidden_size": 192}, RECURRENT)
        for decoder in ("cho", "bahdanau", "luong_dot", "luong_general", "luong_concat")
    },
    "convs2s": Recipe(
        {"family": "convs2s", "size": EMBEDDING_SIZE, "layers": 4, "kernel": 3},
        Schedule(epochs=16, learning_rate=6e-3),
    ),
    "transformer": Recipe(
        {
            "family": "transformer",
            "model_size": EMBEDDING_SIZE,
            "heads": 4,
            "layers": 3,
            "feed_forward_size": 512,
            "norm": "pre",
            "positions": "sinusoidal",
        },
        Schedule(epochs=16, learning_rate=2e-3, warmup=1000),
    ),
}
BESIDE = {  # not on the ladder: they train for fewer epochs
    "gnmt": Recipe(
        {"family": "gnmt", "embedding_size": EMBEDDING_SIZE, "hidden_size": 96, "layers": 4},
        Schedule(epochs=10, learning_rate=3e-3),
    ),
    "character": Recipe(
        {
            "family": "character",
            "source_embedding_size": EMBEDDING_SIZE,
            "embedding_size": 64,
            "hidden_size": 128,
        },
        Schedule(epochs=4, learning_rate=3e-3),
    ),
}
LARGE = {  # for sentences that people type: all pairs, larger pieces
    "transformer_large": Recipe(
        {
            "family": "transformer",
            "model_size": 256,
            "heads": 4,
            "layers": 3,
            "feed_forward_size": 512,
            "norm": "pre",
            "positions": "sinusoidal",
        },
        Schedule(epochs=8, learning_rate=1.5e-3, warmup=1000),
        dropout=0.1,
        label_smoothing=0.1,
        batch_size=128,
        bfloat16=True,
    ),
    "bahdanau_large": Recipe(
        {"decoder": "bahdanau", "embedding_size": 256, "hidden_size": 320},
        Schedule(epochs=7, learning_rate=2e-3),
        label_smoothing=0.1,
        batch_size=128,
        bfloat16=True,
    ),
}
LENGTHS = ((4, 5), (6, 7), (8, 9), (10, 12))


def tokenise(
    pairs: Iterable[SentencePair], encoding: BytePairEncoding, target_encoding: BytePairEncoding | None = None
) -> list[tuple[list[int], list[int]]]:
    """Return source ids ending in </s>, and target ids from <s> to </s>, of each pair.

    Both languages share one encoding, unless the target has its own.
    """
    target = target_encoding or encoding
    return [
        (
            [*encoding.encode(pair.source), encoding.eos_id],
            [target.bos_id, *target.encode(pair.target), target.eos_id],
        )
        for pair in pairs
    ]


def train_translator(
    name: str,
    folder: Path,
    encoding: BytePairEncoding,
    seed: int = 0,
    minutes: float | None = None,
) -> tuple[Seq2Seq, Progress]:
    """Train one English-French translator, a name in `RECIPES`, `BESIDE` or `LARGE`."""
    data = load_tatoeba("fra")
    torch.manual_seed(seed)
    recipe = (RECIPES | BESIDE | LARGE)[name]
    config, target = dict(recipe.sizes), encoding
    if config.get("family") == "character":
        target = characters(encoding)
        config["source_vocabulary_size"] = len(encoding)
    model = build({**config, "vocabulary_size": len(target)}, pad_id=encoding.pad_id, dropout=recipe.dropout)
    pairs = (*data.train, *load_more_tatoeba()) if name in LARGE else data.train
    training = tokenise(pairs, encoding, target)
    held_out = list(length_batches(tokenise(data.validation, encoding, target), 128, encoding.pad_id))

    def loss(batch: Batch) -> Tensor:
        with torch.autocast("cpu", torch.bfloat16, enabled=recipe.bfloat16):
            total, tokens = next_token_loss(model, batch, recipe.label_smoothing)
        return total / tokens

    progress = fit(
        model,
        loss,
        lambda epoch: length_batches(training, recipe.batch_size, encoding.pad_id, seed=1000 * seed + epoch),
        -(-len(training) // recipe.batch_size),
        lambda: validation_loss(model, held_out),
        recipe.schedule,
        folder,
        minutes,
    )
    return model, progress


def learn_encoding(path: Path) -> BytePairEncoding:
    """Learn the byte pairs of both languages together, from the training sentences.

    Args:
        path: of the encoding that ships under this name.
    """
    more = load_more_tatoeba() if path.name == LARGE_ENCODING.name else ()
    texts = (text for pair in (*load_tatoeba("fra").train, *more) for text in pair)
    return BytePairEncoding.train(texts, MERGES[path.name])


@dataclass(frozen=True)
class Measured:
    """How a translator does on the test sentences."""

    bleu_greedy: float
    bleu_beam: float
    bleu_beam_spread: float  # standard error over the choice of the test sentences
    signature: str
    perplexity: float
    bleu_by_length: dict[str, tuple[float, int]]  # source tokens, "4-5" -> BLEU and number of sentences
    parameters: int
    invented: float  # share of the test sentences whose translation by beam search holds an invented word


def measure(translator: Translator) -> Measured:
    """Translate the test sentences, free-running, and score them against all references."""
    data = load_tatoeba("fra")
    sentences = data.references("test")
    greedy = translate_all(translator, [s.source for s in sentences])
    beam = translate_all(translator, [s.source for s in sentences], beam_size=5)
    references = [s.references for s in sentences]
    bleu = corpus_bleu(greedy, references)
    pairs = tokenise(data.test, translator.encoding, translator.target_encoding)
    test = list(length_batches(pairs, 128, translator.encoding.pad_id))
    nats = validation_loss(translator.model, test)
    return Measured(
        bleu_greedy=bleu.score,
        bleu_beam=corpus_bleu(beam, references).score,
        bleu_beam_spread=bleu_spread(beam, references),
        signature=bleu.signature,
        perplexity=math.exp(nats),
        bleu_by_length=bleu_by_length(sentences, greedy),
        parameters=sum(parameter.numel() for parameter in translator.model.parameters()),
        invented=share_with_invented_words(beam, [s.source for s in sentences]),
    )


def share_with_invented_words(translations: Sequence[str], sources: Sequence[str]) -> float:
    """Return the share of translations that hold a word which is in no French text of ours."""
    pairs = zip(translations, sources, strict=True)
    return statistics.fmean(bool(invented_words(text, french_words(), source)) for text, source in pairs)


def bleu_by_length(
    sentences: Sequence[ReferencedSentence], translations: Sequence[str]
) -> dict[str, tuple[float, int]]:
    """Return BLEU of short, middling and long English sentences.

    Words and punctuation marks are counted; a contraction is two words: "I don't." has four.
    """
    scores = {}
    for shortest, longest in LENGTHS:
        chosen = [i for i, s in enumerate(sentences) if shortest <= len(split_english(s.source)) <= longest]
        bleu = corpus_bleu([translations[i] for i in chosen], [sentences[i].references for i in chosen])
        scores[f"{shortest}-{longest}"] = (bleu.score, len(chosen))
    return scores


def run_encoding(name: str, budget: Budget) -> Outcome:
    """Learn byte pairs and write them."""
    path = budget.folder / name
    learn_encoding(path).save(path)
    return Outcome(checkpoints=[path])


ABOUT = {
    SHIPPED_ENCODING: "the byte pairs of the English-French translators",
    LARGE_ENCODING: "the larger byte pairs of the larger English-French translators",
}
EXPERIMENTS = [
    Experiment(path.stem, what, 0.1, partial(run_encoding, path.name), ships=(path.name,))
    for path, what in ABOUT.items()
]
