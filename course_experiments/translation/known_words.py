"""What it is worth to choose, among the hypotheses of a beam, one whose words all exist."""

from functools import partial
from typing import NamedTuple

from course_experiments.protocol import Budget, Experiment, Outcome
from course_experiments.results import Measurement
from course_experiments.translation.rungs import trained_translator
from course_experiments.translation.translators import share_with_invented_words
from course_lib.applications.translator import Translator, translate_all
from course_lib.data import ReferencedSentence, load_tatoeba
from course_lib.metrics.text import bleu_spread, corpus_bleu, corpus_chrf

BEAM_SIZE = 5
NAMES = ("bahdanau", "transformer", "bahdanau_large", "transformer_large")


class Chosen(NamedTuple):
    """What changes with the choice."""

    bleu: float
    bleu_spread: float  # standard error over the choice of the test sentences
    invented: float  # share of the translations with an invented word
    changed: float  # share of the translations that are others than without
    nearer: float  # share that are others, and nearer to their references by chrF
    farther: float


def measure(translator: Translator, sentences: tuple[ReferencedSentence, ...]) -> Chosen:
    """Translate with and without the choice; score what it gives, and compare sentence by sentence."""
    sources, references = [s.source for s in sentences], [s.references for s in sentences]
    before, after = (translate_all(translator, sources, BEAM_SIZE, known) for known in (False, True))
    gains = [
        corpus_chrf([new], [given]).score - corpus_chrf([old], [given]).score
        for old, new, given in zip(before, after, references, strict=True)
        if old != new
    ]
    return Chosen(
        bleu=corpus_bleu(after, references).score,
        bleu_spread=bleu_spread(after, references),
        invented=share_with_invented_words(after, sources),
        changed=len(gains) / len(sentences),
        nearer=sum(gain > 0 for gain in gains) / len(sentences),
        farther=sum(gain < 0 for gain in gains) / len(sentences),
    )


def run(name: str, budget: Budget) -> Outcome:
    """Measure the choice with one translator."""
    found = measure(trained_translator(name, budget), load_tatoeba("fra").references("test"))
    where = f"beam {BEAM_SIZE}, of the hypotheses the best whose words all exist, 1,000 test sentences"
    values = {
        "bleu": ("BLEU", found.bleu),
        "invented": (
            "% of the translations with a word that is in no French sentence of ours",
            100 * found.invented,
        ),
        "changed": ("% that are others than without the choice", 100 * found.changed),
        "nearer": ("% that are others, and nearer to a reference (chrF)", 100 * found.nearer),
        "farther": ("% that are others, and farther from every reference (chrF)", 100 * found.farther),
    }
    return Outcome(
        [
            Measurement(
                f"known-words-{name.replace('_', '-')}-{key}",
                "known-words",
                f"{name}: {what}, {where}",
                value,
                spread=found.bleu_spread if key == "bleu" else None,
            )
            for key, (what, value) in values.items()
        ]
    )


EXPERIMENTS = [
    Experiment(f"known_words_{name}", "a translator's hypotheses in words that exist", 2, partial(run, name))
    for name in NAMES
]
