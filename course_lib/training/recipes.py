"""The recipes of the shipped models: what `course train` runs."""

import shutil
from pathlib import Path

from course_lib.checkpoints import FOLDER
from course_lib.registers import record
from course_lib.seq2seq.translator import SHIPPED_ENCODING
from course_lib.training.alignments import alignment_results
from course_lib.training.applications import APPLICATIONS, application_results, train_application
from course_lib.training.rates import try_rates
from course_lib.training.reading import load_reader, reading_results, save_reader, train_reader
from course_lib.training.rungs import MEASURED_ONLY, RUNGS, climb, rung_folder, rung_results, train_rung
from course_lib.training.translation import learn_encoding

RUNS = Path(__file__).parents[2] / "runs"
RECIPES = {
    "tatoeba_eng_fra_bpe": "the byte pairs of the English-French translators (seconds)",
    **{
        f"translator_{name}": f"English-French, {what} (20 to 50 CPU minutes)" for name, what in RUNGS.items()
    },
    **{f"app_{name}": "attention at work, lecture 11d (a minute)" for name in APPLICATIONS},
    "lstmn_english": "a small LSTMN that reads English, and an LSTM beside it (five minutes)",
    "ladder": "all rungs of the translation ladder, three seeds of both ends (a night)",
    "rates": "the same learning rates on every rung, 400 steps each (half an hour)",
    "alignment": "word alignments: IBM model 1 and the attention of the shipped translators (a minute)",
}
MEASUREMENTS = {"rates": try_rates, "alignment": alignment_results}


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
    if ship and name.removeprefix("translator_") not in MEASURED_ONLY:
        shutil.copy(path, FOLDER)
    return path
