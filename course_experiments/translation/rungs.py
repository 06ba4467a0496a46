"""The rungs of the translation ladder: train each alike, measure each alike, record.

One data set, one vocabulary, one loop, one evaluation, one thread for each rung, the same number of passes
over the data. The two ends of the ladder are trained with three seeds.
"""

import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from functools import partial
from pathlib import Path

from course_experiments.protocol import PAUSED, Budget, Experiment, Outcome, over_seeds, side_by_side
from course_experiments.results import Measurement
from course_experiments.translation.translators import BESIDE, LARGE, Measured, measure, train_translator
from course_lib.applications.translator import LARGE_ENCODING, SHIPPED_ENCODING, Translator
from course_lib.checkpoints import FOLDER
from course_lib.text import BytePairEncoding

RUNGS = {
    "sutskever": "deep LSTMs, reversed source (Sutskever et al. 2014)",
    "cho": "no attention: one summary vector (Cho et al. 2014)",
    "bahdanau": "additive attention (Bahdanau et al. 2015)",
    "luong_dot": "scaled dot attention (Luong et al. 2015, scores divided by √192)",
    "luong_general": "scaled general attention (Luong et al. 2015, scores divided by √192)",
    "luong_concat": "concat attention (Luong et al. 2015)",
    "convs2s": "convolutions with attention in every layer (Gehring et al. 2017)",
    "transformer": "attention only (Vaswani et al. 2017)",
}
LADDER = {  # rung -> its seeds; the first one is shipped
    "sutskever": (0, 1, 2),
    "cho": (0,),
    "bahdanau": (0,),
    "luong_general": (0,),
    "convs2s": (0,),
    "transformer": (0, 1, 2),
}
ELSEWHERE = "another test set and longer sentences: compare gaps, not levels"
GERMAN = "English-German: not to be compared with what others report for English-French"
PUBLISHED = {  # BLEU by beam search
    "gnmt": (
        38.95,
        f"Wu et al. 2016, table 4, WPM-32K, single model, WMT'14 English-French; {ELSEWHERE}",
    ),
    "sutskever": (
        30.59,
        f"Sutskever et al. 2014, table 1, single reversed LSTM, beam 12, WMT'14 English-French; {ELSEWHERE}",
    ),
    "cho": (
        17.82,
        f"Bahdanau et al. 2015, table 1, RNNencdec-50, all sentences of WMT'14 English-French; {ELSEWHERE}",
    ),
    "bahdanau": (
        26.75,
        f"Bahdanau et al. 2015, table 1, RNNsearch-50, all sentences of WMT'14 English-French; {ELSEWHERE}",
    ),
    "luong_dot": (18.6, f"Luong et al. 2015, table 4, global (dot), WMT'14 {GERMAN}"),
    "luong_general": (17.3, f"Luong et al. 2015, table 4, global (general), WMT'14 {GERMAN}"),
    "convs2s": (
        40.51,
        "Gehring et al. 2017, table 1 of the paper's later version, ConvS2S, WMT'14 English-French (Vaswani "
        f"et al. 2017, table 2, quote 40.46); {ELSEWHERE}",
    ),
    "transformer": (38.1, f"Vaswani et al. 2017, table 2, base model, WMT'14 English-French; {ELSEWHERE}"),
}


@dataclass(frozen=True)
class Trained:
    """A rung at its end."""

    checkpoint: Path
    measured: Measured
    epochs: int
    cpu_minutes: float


def train_rung(name: str, seed: int, folder: Path, minutes: float | None = None) -> Trained | None:
    """Train one rung, or go on where it was cut off, and measure it; None after a pause."""
    pieces = LARGE_ENCODING if name in LARGE else SHIPPED_ENCODING
    encoding = BytePairEncoding.load(pieces)
    model, progress = train_translator(name, folder, encoding, seed=seed, minutes=minutes)
    if progress.stopped == "paused":
        print(f"{name}, seed {seed}: paused after epoch {progress.epoch}")
        return None
    path = folder / f"translator_{name}.safetensors"
    Translator(model, encoding, name).save(path, pieces, int8=True)
    measured = measure(Translator.load(path))
    print(name, "seed", seed, json.dumps(asdict(measured), indent=2))
    return Trained(path, measured, progress.epoch, progress.cpu_seconds / 60)


def trained_translator(name: str, budget: Budget) -> Translator:
    """Load a translator that ships or, where it does not, the one trained here."""
    path = FOLDER / f"translator_{name}.safetensors"
    return Translator.load(path if path.exists() else budget.beside(path.stem) / path.name)


def climb(budget: Budget) -> Outcome:
    """Train the ladder, two rungs side by side; return what is complete: all seeds of a rung, or none."""
    tasks = [(name, seed) for name, seeds in LADDER.items() for seed in seeds]
    jobs = [(name, seed, budget.folder / f"{name}_seed{seed}", budget.minutes) for name, seed in tasks]
    ends: dict[tuple[str, int], Trained | None] = dict(
        zip(tasks, side_by_side(train_rung, jobs), strict=True)
    )
    measurements, checkpoints = [], []
    for name, seeds in LADDER.items():
        trained = [end for seed in seeds if (end := ends[name, seed])]
        if len(trained) == len(seeds):
            checkpoints.append(trained[0].checkpoint)
            measurements += rung_results(name, trained[0])
            measurements += seed_results(name, trained) if len(seeds) > 1 else []
    return Outcome(measurements, checkpoints, paused=None in ends.values())


def rung_results(name: str, trained: Trained) -> list[Measurement]:
    """Return what is recorded of the shipped seed of a rung."""
    measured, system = trained.measured, f"translator-{name.replace('_', '-')}"
    where = "Tatoeba English-French, test, 1,000 sentences with all references"
    published, source = PUBLISHED.get(name, (None, ""))
    values = {
        "bleu-greedy": (f"BLEU, greedy, {where}; {measured.signature}", measured.bleu_greedy),
        "bleu-beam5": (
            f"BLEU, beam 5, mean log-probability, {where}; {measured.signature}",
            measured.bleu_beam,
        ),
        "perplexity": (f"perplexity a token, teacher-forced, {where}", measured.perplexity),
        "invented": (
            "% of the test translations, beam 5, with a word that is in no French sentence of ours",
            100 * measured.invented,
        ),
        **{
            f"bleu-greedy-{bucket}": (
                f"BLEU, greedy, the {count} test sentences of {bucket} tokens",
                score,
            )
            for bucket, (score, count) in measured.bleu_by_length.items()
        },
        "parameters": ("parameters", float(measured.parameters)),
        "epochs": ("epochs trained", float(trained.epochs)),
        "cpu-minutes": ("CPU minutes of training, one thread", trained.cpu_minutes),
    }
    return [
        Measurement(
            f"{system}-{key}",
            "translation",
            f"{system}: {metric}",
            value,
            spread=measured.bleu_beam_spread if key == "bleu-beam5" else None,
            published=published if key == "bleu-beam5" else None,
            published_source=source if key == "bleu-beam5" else "",
        )
        for key, (metric, value) in values.items()
    ]


def seed_results(name: str, trained: Sequence[Trained]) -> list[Measurement]:
    """Return mean and standard deviation over the seeds of a rung."""
    system = f"ladder-{name.replace('_', '-')}"
    values = {
        "bleu-greedy": ("BLEU, greedy", [end.measured.bleu_greedy for end in trained]),
        "bleu-beam5": ("BLEU, beam 5", [end.measured.bleu_beam for end in trained]),
        "perplexity": ("perplexity a token, teacher-forced", [end.measured.perplexity for end in trained]),
    }
    return [
        over_seeds(f"{system}-{key}", "translation", f"{system}: {metric}, mean of {len(found)} seeds", found)
        for key, (metric, found) in values.items()
    ]


def run(name: str, budget: Budget) -> Outcome:
    """Train one translator and measure it."""
    trained = train_rung(name, 0, budget.folder, budget.minutes)
    return PAUSED if trained is None else Outcome(rung_results(name, trained), [trained.checkpoint])


ABOUT = {  # name -> what it is, CPU minutes
    **{name: (what, 30) for name, what in RUNGS.items()},
    "gnmt": ("deep residual LSTMs (Wu et al. 2016)", 20),
    "character": ("by characters (Chung et al. 2016)", 11),
    "bahdanau_large": ("additive attention, larger, 160,000 pairs", 70),
    "transformer_large": ("attention only, larger, 160,000 pairs", 100),
}
STAY = tuple(BESIDE)  # measured only: together, the checkpoints of the package have a limit
EXPERIMENTS = [
    *(
        Experiment(
            f"translator_{name}",
            f"English-French, {what}",
            minutes,
            partial(run, name),
            ships=() if name in STAY else (f"translator_{name}.safetensors",),
        )
        for name, (what, minutes) in ABOUT.items()
    ),
    Experiment(
        "ladder",
        "all rungs of the translation ladder, three seeds of both ends",
        300,
        climb,
        ships=tuple(f"translator_{name}.safetensors" for name in LADDER if name not in STAY),
    ),
]
