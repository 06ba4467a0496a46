"""What is drawn in README.md and in the pages under docs/: tables between marks, from the registers."""

import re
from collections.abc import Callable, Iterable
from dataclasses import replace
from functools import partial
from itertools import groupby
from pathlib import Path
from typing import Any

from course_experiments.registry import experiments
from course_experiments.results import Result, load_results, result
from course_lib.checkpoints import FOLDER
from course_lib.data import (
    DATA_FOLDER,
    load_babi,
    load_fashion_mnist,
    load_flowers,
    load_glove,
    load_handwriting,
    load_imagenet_names,
    load_mnist,
    load_photographs,
    load_sketches,
    load_spoken_digits,
    load_sunspots,
    load_tatoeba,
    load_tiny_shakespeare,
    load_wiki_geo,
)
from course_lib.data.packaged import checksums
from course_lib.figures import Table
from course_tools.tables import results_markdown, syllabus_markdown

# The numbers that stand in the README, about one a topic: id in the register -> what it is, in a few words.
HEADLINES = {
    "fooled-softmax-error-25": "digits moved along the sign of the gradient, ε = 0.25: % read wrong",
    "character-quick-windows": "LSTM, three minutes on a CPU: nats a character, tiny Shakespeare",
    "counting-lstm-ab": "LSTM that counts, trained on aⁿbⁿ up to n = 50: largest n read right",
    "reservoir-mackey-84": "reservoir, Mackey-Glass 84 steps ahead: log₁₀ of the error (NRMSE)",
    "word-vectors-skip-gram-ours-taught": "skip-gram, ours: % of analogies right",
    "word-vectors-skip-gram-gensim-taught": "skip-gram, gensim on the same text: % of analogies right",
    "translator-sutskever-bleu-beam5": "translation by deep LSTMs: BLEU",
    "translator-bahdanau-bleu-beam5": "translation with additive attention: BLEU",
    "translator-transformer-bleu-beam5": "translation by the Transformer: BLEU",
    "alignment-luong-general-aer": "Luong's attention (general, scaled) as word alignment: error rate (AER)",
    "lines-language": "handwriting by CTC with a model of characters: % of characters wrong",
    "captions-soft-held-out-nouns": "captions: % of nouns with soft attention on the thing (chance 22.9)",
    "babi-joint-mean": "memory network, 20 bAbI tasks jointly: % of answers wrong",
    "speed-lstm": "our readable LSTM: its time over that of `torch.nn.LSTM`",
    "speed-transformer-step": "our Transformer's training step: its time over that of `torch.nn`",
    "wait-heatmap-128-head-lab": "attention widget: milliseconds until another head is shown",
}


def headlines() -> str:
    """The README's table: a few numbers beside the published ones."""
    return results_markdown(
        (replace(result(id), metric=what) for id, what in HEADLINES.items()), commands=False
    )


def grading() -> str:
    """How fast papers are graded, beside nbgrader."""
    return results_markdown([result("speed-grading")])


def numbers() -> str:
    """Every number of the register, a section an experiment."""
    groups = {name: list(group) for name, group in groupby(load_results(), key=lambda r: r.experiment)}
    contents = " · ".join(f"[{name}](#{name.replace('.', '')})" for name in groups)
    return "\n\n".join([contents, *(_section(name, group) for name, group in groups.items())])


def _section(experiment: str, entries: list[Result]) -> str:
    """One experiment's heading, how its numbers came about, and the numbers."""
    commands = {entry.command for entry in entries}
    again = f" To repeat: `{entries[0].command}`." if len(commands) == 1 else ""
    runs = dict.fromkeys(f"{entry.date}, {entry.hardware}" for entry in entries)
    table = results_markdown(entries, commands=len(commands) > 1)
    return f"## {experiment}\n\nMeasured {'; '.join(runs)}.{again}\n\n{table}"


def data_sets() -> str:
    """Every packaged data set with its size, licence and attribution; then the size of all together."""
    terms, rows, total = _terms(), [], 0.0
    for folder in sorted(listing.parent for listing in DATA_FOLDER.glob("*/SHA256SUMS")):
        size = _megabytes(folder / name for name in checksums(folder))
        total += size
        page = f"[{folder.name}](../course_lib/data/{folder.name}/README.md)"
        rows.append([page, f"{1000 * size:,.0f} kB", *terms[folder.name]])
    titles = ("data set", "size", "licence", "attribution")
    table = Table(dict.fromkeys(titles, ""), rows).markdown()
    models = [*FOLDER.glob("*.safetensors"), *FOLDER.glob("*.json")]
    return (
        f"{table}\n\nThe data are {total:.1f} MB, and the {len(models)} files of trained models "
        f"in `course_lib/checkpoints/` {_megabytes(models):.1f} MB."
    )


def _megabytes(files: Iterable[Path]) -> float:
    return sum(file.stat().st_size for file in files) / 1e6


def _terms() -> dict[str, tuple[str, str]]:
    """Licence and attribution of every packaged data set, by its folder's name."""
    loaded: dict[str, Any] = {
        "babi_v1.1": load_babi(1),
        "coco_captions_cc": load_photographs(),
        "fashion_mnist10k": load_fashion_mnist(),
        "flowers96": load_flowers(),
        "fsdd900": load_spoken_digits(),
        "glove50_subset": load_glove(),
        "imagenet_names": load_imagenet_names(),
        "mnist10k": load_mnist(),
        "peraire_lines": load_handwriting(),
        "quickdraw_sketches": load_sketches(),
        "sunspots": load_sunspots(),
        "tatoeba_eng_fra": load_tatoeba("fra"),
        "tatoeba_eng_tur": load_tatoeba("tur"),
        "tiny_shakespeare": load_tiny_shakespeare(),
        "wiki_geo": load_wiki_geo(),
    }
    links = (
        "CC BY 2.0 FR",
        "Sentence pairs: Tatoeba contributors, via ManyThings.org/anki, CC BY 2.0 FR. "
        "Word links made for this course.",
    )
    terms = {name: (dataset.licence, dataset.attribution) for name, dataset in loaded.items()}
    return terms | {"alignment_gold": links, "tatoeba_eng_fra_more": terms["tatoeba_eng_fra"]}


def experiment_list() -> str:
    """Every experiment, with its cost and the files that it ships."""
    rows = [
        (f"`{name}`", experiment.what, experiment.cost, ", ".join(f"`{file}`" for file in experiment.ships))
        for name, experiment in experiments().items()
    ]
    return Table(dict.fromkeys(("experiment", "what", "cost", "ships"), ""), rows).markdown()


BLOCKS: dict[str, Callable[[], str]] = {
    "headlines": headlines,
    "grading": grading,
    "numbers": numbers,
    "data": data_sets,
    "experiments": experiment_list,
    "syllabus": partial(syllabus_markdown, "../notebooks/", "../course_lib/"),
}
BLOCK = re.compile(r"(<!-- drawn: (\w+) -->\n).*?(<!-- end of drawn -->)", re.DOTALL)


def redrawn(page: Path) -> str:
    """Return a page's text, every block between `<!-- drawn: NAME -->` and `<!-- end of drawn -->` renewed.

    Raises:
        ValueError: there is no block of that name, or a mark lacks its partner.
    """
    text = page.read_text(encoding="utf8")
    if not len(BLOCK.findall(text)) == text.count("<!-- drawn:") == text.count("<!-- end of drawn -->"):
        raise ValueError(
            f"{page}: a mark lacks its partner; a block stands between <!-- drawn: NAME --> and "
            "<!-- end of drawn -->, each on a line of its own"
        )

    def draw(match: re.Match[str]) -> str:
        opening, name, closing = match.groups()
        if name not in BLOCKS:
            raise ValueError(f"{page} asks for a block {name!r}; there are: {', '.join(BLOCKS)}")
        return f"{opening}\n{BLOCKS[name]()}\n\n{closing}"

    return BLOCK.sub(draw, text)


def pages(folder: Path) -> list[Path]:
    """README.md and the pages under docs/ of a course."""
    return [folder / "README.md", *sorted((folder / "docs").glob("*.md"))]


def draw_docs(folder: Path) -> list[Path]:
    """Write anew what is out of date in the pages of a course; return these pages.

    Raises:
        ValueError: see `redrawn`; then nothing is written.
    """
    drawn = {page: redrawn(page) for page in pages(folder)}
    stale = [page for page, text in drawn.items() if page.read_text(encoding="utf8") != text]
    for page in stale:
        page.write_text(drawn[page], encoding="utf8")
    return stale
