"""The dot score needs decoder and encoder states in one space; general learns the way from one to the other.

A trained translator with the scaled dot is frozen. Then its encoder states are turned, by a rotation drawn at
random, where they are scored; what is summed stays as it was. Lengths and angles among the encoder states
stay, too: nothing is lost but the axes that they shared with the decoder's.
"""

from collections.abc import Sequence
from functools import partial

import torch
from jaxtyping import Bool, Float
from torch import Tensor

from course_experiments.protocol import Budget, Experiment, Outcome, over_seeds
from course_experiments.translation.rungs import trained_translator
from course_experiments.translation.translators import tokenise
from course_lib.attention import Attention, DotAttention, GeneralAttention, masked_softmax, weighted_sum
from course_lib.data import load_tatoeba
from course_lib.data.batches import Batch, length_batches
from course_lib.seq2seq.looks import Look
from course_lib.seq2seq.model import EncoderDecoder
from course_lib.training.looks import fit_look, mean_loss

SEEDS, EVERY, LEARNING_RATE = 3, 10, 3e-3  # general learns from every tenth training pair, once


def rotation(size: int, seed: int) -> Float[Tensor, "size size"]:
    """Return an orthogonal matrix drawn at random."""
    return torch.linalg.qr(torch.randn(size, size, generator=torch.Generator().manual_seed(seed))).Q


def turned(attention: Attention, turn: Float[Tensor, "size size"]) -> Look:
    """Return a look that scores turned encoder states and sums them as they are."""

    def look(
        query: Float[Tensor, "batch size"],
        keys: Float[Tensor, "batch source size"],
        keep: Bool[Tensor, "batch source"],
        step: int,
    ) -> tuple[Tensor, Tensor]:
        weights = masked_softmax(attention.score(query, attention.project(keys @ turn)), keep)
        return weighted_sum(weights.unsqueeze(1), keys, keep.unsqueeze(1)).squeeze(1), weights

    return look


def turned_losses(
    model: EncoderDecoder, seed: int, training: Sequence[Batch], held_out: Sequence[Batch]
) -> tuple[float, float]:
    """Return nats a token with turned states: with the dot score, and with general after training its W."""
    size = model.config["hidden_size"]
    turn = rotation(size, seed)
    torch.manual_seed(seed)
    general = GeneralAttention(size, size, size**-0.5)
    fit_look(model, turned(general, turn), general.parameters(), training, LEARNING_RATE)
    looks = (turned(DotAttention(size**-0.5), turn), turned(general, turn))
    dot, learned = (mean_loss(model, look, held_out) for look in looks)
    return dot, learned


def run(budget: Budget) -> Outcome:
    """Measure the dot score in its own space, and both scores with turned states."""
    translator, data = trained_translator("luong_dot", budget), load_tatoeba("fra")
    model = translator.model
    assert isinstance(model, EncoderDecoder)
    size = model.config["hidden_size"]
    batches = partial(length_batches, size=64, pad_id=translator.encoding.pad_id)
    held_out = list(batches(tokenise(data.test, translator.encoding)))
    training = list(batches(tokenise(data.train[::EVERY], translator.encoding), seed=0))
    own, even = (
        mean_loss(model, turned(DotAttention(scale), torch.eye(size)), held_out)
        for scale in (size**-0.5, 0.0)
    )
    dot, general = zip(
        *(turned_losses(model, seed, training, held_out) for seed in range(SEEDS)), strict=True
    )
    values = {
        "own": ("scaled dot, the states as they are", [own]),
        "even": ("even weights", [even]),
        "dot": (f"scaled dot, the encoder's states turned, {SEEDS} rotations", dot),
        "general": (f"general, the states turned, W trained on {len(data.train[::EVERY]):,} pairs", general),
    }
    return Outcome(
        [
            over_seeds(
                f"one-space-{key}",
                "one-space",
                f"translator with scaled dot, frozen; {what}: nats a token, Tatoeba English-French, test",
                losses,
            )
            for key, (what, losses) in values.items()
        ]
    )


EXPERIMENTS = [Experiment("one_space", "dot and general when the encoder's states are turned", 3, run)]
