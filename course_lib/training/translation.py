"""Train the course's translators and measure them."""

from collections.abc import Iterable, Sequence
from pathlib import Path

import torch
from torch import Tensor
from torch.nn import functional

from course_lib.data import SentencePair, load_tatoeba
from course_lib.seq2seq.model import EncoderDecoder
from course_lib.text import BytePairEncoding
from course_lib.training.batches import Batch, length_batches
from course_lib.training.loop import Progress, Schedule, fit

MERGES = 3000
EMBEDDING_SIZE = 128
HIDDEN_SIZE = 192
DROPOUT = 0.2
BATCH_SIZE = 64
SCHEDULE = Schedule(epochs=20, learning_rate=3e-3)


def tokenise(pairs: Iterable[SentencePair], encoding: BytePairEncoding) -> list[tuple[list[int], list[int]]]:
    """Return source ids ending in </s>, and target ids from <s> to </s>, of each pair."""
    return [
        (
            [*encoding.encode(pair.source), encoding.eos_id],
            [encoding.bos_id, *encoding.encode(pair.target), encoding.eos_id],
        )
        for pair in pairs
    ]


def next_token_loss(model: EncoderDecoder, batch: Batch) -> tuple[Tensor, int]:
    """Return the cross-entropy of the next tokens given the true ones before them, and their number.

    The sum over all tokens, in nats; padding counts in neither.
    """
    logits, _ = model(batch.source, batch.target[:, :-1])
    following = batch.target[:, 1:]
    total = functional.cross_entropy(
        logits.flatten(0, 1),
        following.flatten(),
        ignore_index=model.pad_id,
        reduction="sum",
    )
    return total, int((following != model.pad_id).sum())


def validation_loss(model: EncoderDecoder, batches: Sequence[Batch]) -> float:
    """Return nats a token, teacher-forced; its exponential is the perplexity."""
    totals, counts = zip(*(next_token_loss(model, batch) for batch in batches), strict=True)
    return float(sum(totals)) / sum(counts)


def train_translator(
    decoder: str,
    folder: Path,
    encoding: BytePairEncoding,
    schedule: Schedule = SCHEDULE,
    seed: int = 0,
    minutes: float | None = None,
    fresh: bool = False,
) -> tuple[EncoderDecoder, Progress]:
    """Train one English-French translator on one thread."""
    data = load_tatoeba("fra")
    torch.set_num_threads(1)
    torch.manual_seed(seed)
    model = EncoderDecoder(decoder, len(encoding), EMBEDDING_SIZE, HIDDEN_SIZE, encoding.pad_id, DROPOUT)
    training = tokenise(data.train, encoding)
    held_out = list(length_batches(tokenise(data.validation, encoding), 128, encoding.pad_id))

    def loss(batch: Batch) -> Tensor:
        total, tokens = next_token_loss(model, batch)
        return total / tokens

    progress = fit(
        model,
        loss,
        lambda epoch: length_batches(training, BATCH_SIZE, encoding.pad_id, seed=1000 * seed + epoch),
        -(-len(training) // BATCH_SIZE),
        lambda: validation_loss(model, held_out),
        schedule,
        folder,
        minutes,
        fresh,
    )
    return model, progress
