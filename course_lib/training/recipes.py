"""The recipes of the shipped models: what `course train` runs."""

import datetime
import json
import platform
import shutil
from dataclasses import asdict
from pathlib import Path

import torch

from course_lib.checkpoints import FOLDER
from course_lib.registers import Result, record
from course_lib.seq2seq.translator import SHIPPED_ENCODING, Translator
from course_lib.text import BytePairEncoding
from course_lib.training.loop import Progress
from course_lib.training.translation import Measured, learn_encoding, measure, train_translator

RUNS = Path(__file__).parents[2] / "runs"
NAMES = {
    "sutskever": "deep LSTMs, reversed source (Sutskever et al. 2014)",
    "cho": "no attention: one summary vector (Cho et al. 2014)",
    "bahdanau": "additive attention (Bahdanau et al. 2015)",
    "luong_dot": "dot attention (Luong et al. 2015)",
    "luong_general": "general attention (Luong et al. 2015)",
    "luong_concat": "concat attention (Luong et al. 2015)",
    "convs2s": "convolutions with attention in every layer (Gehring et al. 2017)",
    "transformer": "attention only (Vaswani et al. 2017)",
}
ELSEWHERE = "another test set and longer sentences: compare gaps, not levels"
PUBLISHED = {  # BLEU by beam search
    "cho": (
        17.82,
        f"Bahdanau et al. 2015, table 1, RNNencdec-50, all sentences of WMT'14 English-French; {ELSEWHERE}",
    ),
    "bahdanau": (
        26.75,
        f"Bahdanau et al. 2015, table 1, RNNsearch-50, all sentences of WMT'14 English-French; {ELSEWHERE}",
    ),
    "luong_dot": (18.6, f"Luong et al. 2015, table 4, global (dot), WMT'14 English-German; {ELSEWHERE}"),
    "luong_general": (
        17.3,
        f"Luong et al. 2015, table 4, global (general), WMT'14 English-German; {ELSEWHERE}",
    ),
}
RECIPES = {
    "tatoeba_eng_fra_bpe": "the byte pairs of the English-French translators (seconds)",
    **{
        f"translator_{name}": f"English-French, {what} (about 35 CPU minutes)" for name, what in NAMES.items()
    },
}


def train(name: str, minutes: float | None = None, fresh: bool = False, ship: bool = False) -> Path:
    """Run a recipe; where it was interrupted before, go on.

    Args:
        name: one of `RECIPES`.
        minutes: pause after about so many minutes of wall-clock time; the next call goes on.
        fresh: start anew, even if there is something to go on from.
        ship: when training ends, replace the shipped checkpoint and the recorded results by the new ones.

    Returns:
        the file written, under `runs/`: the trained model or, after a pause, the training state.

    Raises:
        ValueError: no such recipe.
    """
    if name not in RECIPES:
        raise ValueError(f"name is {name!r}; allowed are {', '.join(map(repr, RECIPES))}")
    folder = RUNS / name
    folder.mkdir(parents=True, exist_ok=True)
    if name == SHIPPED_ENCODING.stem:
        path = folder / SHIPPED_ENCODING.name
        learn_encoding().save(path)
    else:
        decoder = name.removeprefix("translator_")
        encoding = BytePairEncoding.load(SHIPPED_ENCODING)
        model, progress = train_translator(decoder, folder, encoding, minutes=minutes, fresh=fresh)
        if progress.stopped == "paused":
            print(f"Paused after epoch {progress.epoch}. The same command goes on from here.")
            return folder / "last.pt"
        path = folder / f"{name}.safetensors"
        Translator(model, encoding, decoder).save(path)
        measured = measure(Translator.load(path))
        print(json.dumps(asdict(measured), indent=2))
        if ship:
            record(*_results(name, measured, progress))
    if ship:
        shutil.copy(path, FOLDER)
    return path


def _results(name: str, measured: Measured, progress: Progress) -> list[Result]:
    system = name.replace("_", "-")
    where = "Tatoeba English-French, test, 1,000 sentences with all references"
    published, source = PUBLISHED.get(name.removeprefix("translator_"), (None, ""))
    values = {
        "bleu-greedy": (f"BLEU, greedy, {where}; {measured.signature}", measured.bleu_greedy),
        "bleu-beam5": (
            f"BLEU, beam 5, mean log-probability, {where}; {measured.signature}",
            measured.bleu_beam,
        ),
        "perplexity": (f"perplexity a token, teacher-forced, {where}", measured.perplexity),
        **{
            f"bleu-greedy-{bucket}": (
                f"BLEU, greedy, the {count} test sentences of {bucket} tokens",
                score,
            )
            for bucket, (score, count) in measured.bleu_by_length.items()
        },
        "parameters": ("parameters", float(measured.parameters)),
        "epochs": ("epochs trained", float(progress.epoch)),
        "cpu-minutes": ("CPU minutes of training, one thread", progress.cpu_seconds / 60),
    }
    return [
        Result(
            id=f"{system}-{key}",
            experiment="translation",
            metric=f"{system}: {metric}",
            value=round(value, 3),
            spread=None,
            published=published if key == "bleu-beam5" else None,
            published_source=source if key == "bleu-beam5" else "",
            seed=0,
            hardware=f"{platform.machine()}, one thread of a two-core machine, torch {torch.__version__}",
            date=datetime.date.today().isoformat(),
            command=f"course train {name} --ship",
        )
        for key, (metric, value) in values.items()
    ]
