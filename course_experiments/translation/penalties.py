"""Try pairs of length and coverage penalty on held-out sentences (Wu et al. 2016, table 2)."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from typing import NamedTuple

from course_experiments.protocol import Budget, Experiment, Outcome
from course_experiments.results import Measurement
from course_experiments.translation.rungs import trained_translator
from course_lib.applications.translator import Translator, translate_each
from course_lib.data import ReferencedSentence, load_tatoeba
from course_lib.decoding import LengthPenalty
from course_lib.decoding.penalty import CoveragePenalty
from course_lib.metrics.text import corpus_bleu

ALPHAS = (0.0, 0.5, 1.0)
BETAS = (0.0, 0.2, 0.5)
HELD_OUT = 400  # validation sentences: nine searches of each
BEAM_SIZE = 5


class Penalised(NamedTuple):
    """BLEU of one pair of penalties."""

    alpha: float
    beta: float
    bleu: float


@dataclass(frozen=True)
class Tuned:
    """What validation chose, and what it is worth on the test sentences."""

    grid: list[Penalised]  # validation
    test: dict[str, Penalised]  # "none", "length": the best α without coverage, "both": the best pair


def penalty_grid(
    translator: Translator,
    sentences: Sequence[ReferencedSentence],
    alphas: Sequence[float],
    betas: Sequence[float],
    beam_size: int = BEAM_SIZE,
) -> list[Penalised]:
    """Translate with every pair of a length power α and a coverage weight β; one search for each pair.

    Raises:
        ValueError: the model has no attention, or a power or weight is negative.
    """
    sources = [sentence.source for sentence in sentences]
    references = [sentence.references for sentence in sentences]
    grid = []
    for alpha in alphas:
        for beta in betas:
            penalty, coverage = LengthPenalty("gnmt", alpha), CoveragePenalty(beta)
            found = translate_each(translator, sources, beam_size, penalty, coverage)
            bleu = corpus_bleu([translation.text for translation in found], references)
            grid.append(Penalised(alpha, beta, bleu.score))
    return grid


def best_pairs(grid: Sequence[Penalised]) -> dict[str, Penalised]:
    """Choose from a grid: no penalty, the best α where β is 0, and the best pair."""
    without = [pair for pair in grid if pair.beta == 0]
    return {
        "none": next(pair for pair in without if pair.alpha == 0),
        "length": max(without, key=lambda pair: pair.bleu),
        "both": max(grid, key=lambda pair: pair.bleu),
    }


def tune(translator: Translator) -> Tuned:
    """Choose penalties on validation sentences, then measure them on all test sentences."""
    data = load_tatoeba("fra")
    grid = penalty_grid(translator, data.references("validation")[:HELD_OUT], ALPHAS, BETAS)
    test = data.references("test")
    chosen = best_pairs(grid)
    measured = {
        (alpha, beta): penalty_grid(translator, test, (alpha,), (beta,))[0]
        for alpha, beta in {(pair.alpha, pair.beta) for pair in chosen.values()}
    }
    return Tuned(grid, {name: measured[pair.alpha, pair.beta] for name, pair in chosen.items()})


def penalty_results(name: str, tuned: Tuned) -> list[Measurement]:
    """Return what is recorded of the penalties of one translator."""
    where = "Tatoeba English-French, test, 1,000 sentences with all references"
    values: dict[str, tuple[str, float]] = {}
    for kind, pair in tuned.test.items():
        metric = f"BLEU, beam {BEAM_SIZE}, α {pair.alpha:g}, β {pair.beta:g}, {where}"
        values[f"{kind}-bleu-beam{BEAM_SIZE}"] = (metric, pair.bleu)
        values[f"{kind}-alpha"] = ("length power α, chosen on validation", pair.alpha)
        values[f"{kind}-beta"] = ("coverage weight β, chosen on validation", pair.beta)
    for pair in tuned.grid:
        key = f"validation-alpha{pair.alpha:g}-beta{pair.beta:g}".replace(".", "")
        metric = f"BLEU, beam {BEAM_SIZE}, α {pair.alpha:g}, β {pair.beta:g}, {HELD_OUT} validation sentences"
        values[key] = (metric, pair.bleu)
    return [
        Measurement(
            id=f"penalties-{name.replace('_', '-')}-{key}",
            experiment="penalties",
            metric=f"{name}: {metric}",
            value=value,
        )
        for key, (metric, value) in values.items()
    ]


def run(name: str, budget: Budget) -> Outcome:
    """Choose and measure the penalties of a translator."""
    return Outcome(penalty_results(name, tune(trained_translator(name, budget))))


EXPERIMENTS = [
    Experiment(f"penalties_{name}", "length and coverage penalty of a translator", 1, partial(run, name))
    for name in ("bahdanau", "gnmt")
]
