"""The recipes of the shipped models: what `course train` runs."""

import shutil
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from course_experiments.attention.at_work import APPLICATIONS, application_results, train_application
from course_experiments.attention.reading import reading_results, train_reader
from course_experiments.recurrent.characters import RECIPES as CHARACTERS
from course_experiments.recurrent.characters import character_results, train_characters
from course_experiments.recurrent.counting import count
from course_experiments.recurrent.next_frames import predict_frames
from course_experiments.recurrent.temporal_order import order_results
from course_experiments.recurrent.time_results import delayed_bit_results, tcn_results
from course_experiments.recurrent.word_models import word_results
from course_experiments.reservoir.reservoirs import reservoir_results
from course_experiments.results import Result, record
from course_experiments.speed.reservoir import reservoir_speed
from course_experiments.translation.alignments import alignment_results
from course_experiments.translation.beam_curse import curse_results
from course_experiments.translation.penalties import penalty_results, tune
from course_experiments.translation.rates import try_rates
from course_experiments.translation.rungs import (
    MEASURED_ONLY,
    RUNGS,
    climb,
    rung_folder,
    rung_results,
    train_rung,
)
from course_experiments.translation.spelling import spelling_results
from course_experiments.translation.translators import BESIDE, learn_encoding
from course_experiments.translation.word_ordering import word_ordering_results
from course_experiments.words.contextual import train_contextual
from course_experiments.words.word_vectors import learn_word_vectors
from course_lib.applications.translator import SHIPPED_ENCODING, Translator
from course_lib.applications.word_reader import load_reader, save_reader
from course_lib.checkpoints import FOLDER

RUNS = Path(__file__).parents[1] / "runs"
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
    **{
        f"character_{name}": f"characters, {recipe.what} (two to six CPU minutes)"
        for name, recipe in CHARACTERS.items()
    },
    "word_lm": "words of Shakespeare, tied and untied softmax (three CPU minutes)",
    **{
        f"count_{kind}_{letters}": f"five {kind.upper()}s that learn to count (two to ten minutes)"
        for kind in ("lstm", "gru")
        for letters in ("ab", "abc")
    },
    "word_vectors": "word vectors of wiki_geo beside gensim's, which must be installed (eight CPU minutes)",
    "contextual": "a language model from both sides, and the senses of words (a quarter of an hour)",
    "word_ordering": "word ordering: beam-search optimisation, two seeds (20 CPU minutes)",
    "tcn": "TCN beside LSTM on adding, copying and characters (a quarter of an hour)",
    "delayed_bit": "networks with several clocks that remember a bit (five minutes)",
    "conv_lstm_digits": "ConvLSTM beside LSTMs on films of digits (five CPU minutes)",
    "reservoirs": "forecasts, memory and chaos of reservoirs (ten CPU minutes)",
    "reservoirpy": "an echo state network beside reservoirpy's: time and error (a minute)",
    "temporal_order": "temporal order with and without Pascanu's penalty, five seeds (three minutes)",
    "beam_curse": "wider and wider beams, and the exact search, on two translators (a quarter of an hour)",
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
    "tcn": tcn_results,
    "delayed_bit": delayed_bit_results,
    "reservoirs": reservoir_results,
    "reservoirpy": reservoir_speed,
    "word_ordering": partial(word_ordering_results, RUNS / "word_ordering"),
    "word_lm": partial(word_results, RUNS / "word_lm"),
    "beam_curse": curse_results,
    "rates": try_rates,
    "alignment": alignment_results,
    **{f"penalties_{name}": partial(measure_penalties, name) for name in PENALISED},
    **{f"spelling_{name}": partial(measure_spelling, name) for name in SPELLED},
}
IN_ONE_GO: dict[
    str, Callable[[Path], list[Result]]
] = {  # they train in minutes and write the file they are told
    "conv_lstm_digits": predict_frames,
    "word_vectors": learn_word_vectors,
    "contextual": train_contextual,
    "count_lstm_ab": partial(count, "lstm", "ab"),
    "count_lstm_abc": partial(count, "lstm", "abc"),
    "count_gru_ab": partial(count, "gru", "ab"),
    "count_gru_abc": partial(count, "gru", "abc"),
}
STAY = {  # measured, but their checkpoints stay in runs/: all that ship stay under 20 MB together
    *(f"translator_{name}" for name in (*MEASURED_ONLY, *BESIDE)),
    *(f"character_{name}" for name in CHARACTERS if name != "lm"),
}


@dataclass(frozen=True)
class Outcome:
    """What a recipe left."""

    path: Path  # the file written; after a pause, the training state
    results: Callable[[], list[Result]] | None = None  # what is to be recorded; None after a pause


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
    outcome = _run(name, minutes, fresh)
    if ship and outcome.results is not None:
        record(*outcome.results())
        if name not in STAY:
            shutil.copy(outcome.path, FOLDER)
    return outcome.path


def _run(name: str, minutes: float | None, fresh: bool) -> Outcome:
    """Train one model."""
    folder = RUNS / name
    path, paused = folder / f"{name}.safetensors", Outcome(folder / "last.pt")
    kind, _, which = name.partition("_")
    if name == SHIPPED_ENCODING.stem:
        folder.mkdir(parents=True, exist_ok=True)
        learn_encoding().save(folder / SHIPPED_ENCODING.name)
        return Outcome(folder / SHIPPED_ENCODING.name, list)
    if name in IN_ONE_GO:
        measured = IN_ONE_GO[name](path)
        return Outcome(path, lambda: measured)
    if kind == "character":
        *_, progress = train_characters(which, folder, minutes, fresh)
        minutes_taken = progress.cpu_seconds / 60
        done = Outcome(path, lambda: character_results(which, path, minutes_taken))
        return paused if progress.stopped == "paused" else done
    if kind == "app":
        _, progress = train_application(which, folder, minutes, fresh)
        minutes_taken = progress.cpu_seconds / 60
        done = Outcome(path, lambda: application_results(which, path, minutes_taken))
        return paused if progress.stopped == "paused" else done
    if name == "lstmn_english":
        reader, progress = train_reader(folder, minutes, fresh)
        if progress.stopped == "paused":
            return paused
        save_reader(reader, path)
        return Outcome(path, lambda: _reading(path, progress.cpu_seconds / 60, fresh))
    rung = train_rung(which, 0, rung_folder(which, 0, RUNS), minutes, fresh)
    return paused if rung is None else Outcome(rung.checkpoint, lambda: rung_results(which, rung))


def _reading(path: Path, cpu_minutes: float, fresh: bool) -> list[Result]:
    """Train an LSTM beside the LSTMN of a file, and measure both."""
    lstm, beside = train_reader(RUNS / "lstm_english", fresh=fresh, kind="lstm")
    return reading_results(
        {"lstmn": (load_reader(path), cpu_minutes), "lstm": (lstm, beside.cpu_seconds / 60)}
    )
