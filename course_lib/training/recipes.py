"""The recipes of the shipped models: what `course train` runs."""

import shutil
from collections.abc import Callable
from functools import partial
from pathlib import Path

from course_lib.checkpoints import FOLDER
from course_lib.registers import Result, record
from course_lib.seq2seq.translator import SHIPPED_ENCODING, Translator
from course_lib.training.alignments import alignment_results
from course_lib.training.applications import APPLICATIONS, application_results, train_application
from course_lib.training.penalties import penalty_results, tune
from course_lib.training.rates import try_rates
from course_lib.training.reading import load_reader, reading_results, save_reader, train_reader
from course_lib.training.rungs import MEASURED_ONLY, RUNGS, climb, rung_folder, rung_results, train_rung
from course_lib.training.spelling import spelling_results
from course_lib.training.temporal_order import order_results
from course_lib.training.translation import BESIDE, learn_encoding

RUNS = Path(__file__).parents[2] / "runs"
PENALISED = ("bahdanau", "gnmt")
SPELLED = ("bahdanau", "character")
RECIPES = {
    "tatoeba_eng_fra_bpe": "the byte pairs of the English-French translators (seconds)",
    **{
        f"translator_{name}": f"English-French, {what} (20 to 50 CPU minutes)" for name, what in RUNGS.items()
    },
    "translator_gnmt": "English-French, deep residual LSTMs (Wu et al. 2016) (20 CPU minutes)",
    "translator_character": "English-French, by characters (Chung et al. 2016) (11 CPU minutes)",
    **{f"penalties_{name}": "length and coverage penalty of a translator (a minute)" for name in PENALISED},
    **{f"spelling_{name}": "rare words, bits per character of a translator (a minute)" for name in SPELLED},
    **{f"app_{name}": "attention at work, lecture 11d (a minute)" for name in APPLICATIONS},
    "lstmn_english": "a small LSTMN that reads English, and an LSTM beside it (five minutes)",
    "ladder": "all rungs of the translation ladder, three seeds of both ends (a night)",
    "temporal_order": "temporal order with and without Pascanu's penalty, five seeds (three minutes)",
    "rates": "the same learning rates on every rung, 400 steps each (half an hour)",
    "alignment": "word alignments: IBM model 1 and the attention of the shipped translators (a minute)",
}


def trained_translator(name: str) -> Translator:
    """Load a translator that ships or, where it does not, the one trained here."""
    shipped = FOLDER / f"translator_{name}.safetensors"
    return Translator.load(shipped if shipped.exists() else rung_folder(name, 0, RUNS) / shipped.name)


def measure_penalties(name: str) -> list[Result]:
    """Choose and measure the penalties of a translator."""
    return penalty_results(name, tune(trained_translator(name)))


def measure_spelling(name: str) -> list[Result]:
    """Measure what a translator's tokens cost and buy."""
    return spelling_results(trained_translator(name))


MEASUREMENTS: dict[str, Callable[[], list[Result]]] = {
    "temporal_order": order_results,
    "rates": try_rates,
    "alignment": alignment_results,
    **{f"penalties_{name}": partial(measure_penalties, name) for name in PENALISED},
    **{f"spelling_{name}": partial(measure_spelling, name) for name in SPELLED},
}


def train(name: str, minutes: float | None = None, fresh: bool = False, ship: bool = False) -> Path:
    """Run a recipe; where it was interrupted before, go on.

    Args:
        name: one of `RECIPES`.
        minutes: pause after about so many minutes of wall-clock time; the next call goes on.
        fresh: start anew, even if there is something to go on from.
        ship: when training ends, replace the shipped checkpoint and the recorded results by the new ones.

    Returns:
        the file written, under `runs/`: the trained model or, after a pause, the training state; for the
        ladder and for what only measures, the folder of all.

    Raises:
        ValueError: no such recipe.
    """
    if name not in RECIPES:
        raise ValueError(f"name is {name!r}; allowed are {', '.join(map(repr, RECIPES))}")
    if name == "ladder":
        climb(RUNS, minutes, fresh, ship)
        return RUNS
    if name in MEASUREMENTS:
        results = MEASUREMENTS[name]()
        for measured in results:
            print(f"{measured.metric}: {measured.value}")
        if ship:
            record(*results)
        return RUNS
    if name == SHIPPED_ENCODING.stem:
        path = RUNS / name / SHIPPED_ENCODING.name
        path.parent.mkdir(parents=True, exist_ok=True)
        learn_encoding().save(path)
    elif name.startswith("app_"):
        application = name.removeprefix("app_")
        _, progress = train_application(application, RUNS / name, minutes, fresh)
        if progress.stopped == "paused":
            return RUNS / name / "last.pt"
        path = RUNS / name / f"{name}.safetensors"
        if ship:
            record(*application_results(application, path, progress.cpu_seconds / 60))
    elif name == "lstmn_english":
        reader, progress = train_reader(RUNS / name, minutes, fresh)
        if progress.stopped == "paused":
            return RUNS / name / "last.pt"
        path = RUNS / name / f"{name}.safetensors"
        save_reader(reader, path)
        if ship:
            lstm, beside = train_reader(RUNS / "lstm_english", fresh=fresh, kind="lstm")
            cpu_minutes = [run.cpu_seconds / 60 for run in (progress, beside)]
            record(
                *reading_results(
                    {"lstmn": (load_reader(path), cpu_minutes[0]), "lstm": (lstm, cpu_minutes[1])}
                )
            )
    else:
        rung = name.removeprefix("translator_")
        folder = rung_folder(rung, 0, RUNS)
        trained = train_rung(rung, 0, folder, minutes, fresh)
        if trained is None:
            return folder / "last.pt"
        path = trained.checkpoint
        if ship:
            record(*rung_results(rung, trained))
    if ship and name.removeprefix("translator_") not in (*MEASURED_ONLY, *BESIDE):
        shutil.copy(path, FOLDER)
    return path
