"""The registers as tables, for the lectures and the pages under docs/."""

import inspect
from collections.abc import Iterable
from importlib import import_module
from pathlib import Path
from typing import Any

import course_lib
from course_experiments.results import Result
from course_lib.figures import Table
from course_tools.markdown import anchor
from course_tools.syllabus import load_syllabus

LIBRARY = Path(course_lib.__file__).parent


def syllabus_markdown(notebooks: str = "", library: str | None = None) -> str:
    """The index of the course: one table a part, each row with its lecture, exercise and five cells.

    Args:
        notebooks: the way from the page to the lectures' folder, "../notebooks/"; "" stands in that folder.
        library: the way from the page to `course_lib`, "../course_lib/"; None names no code.
    """
    sections = []
    rows = load_syllabus()
    for part, title in dict.fromkeys((row.part, row.part_title) for row in rows):
        lines = [
            [
                row.id,
                row.title,
                *([] if library is None else [_files(row.code, library)]),
                _links(row.lectures, notebooks),
                _links(row.exercises, notebooks),
                *map(row.mark, row.cells),
            ]
            for row in rows
            if row.part == part
        ]
        code = [] if library is None else ["code"]
        titles = ["", "system", *code, "lecture", "exercise", "R", "P", "L", "E", "N"]
        sections.append(f"### Part {part} · {title}\n\n{Table(dict.fromkeys(titles, ''), lines).markdown()}")
    return "\n\n".join(sections)


def _files(references: tuple[str, ...], library: str) -> str:
    """The files of the library that hold the code, as links."""
    places = []
    for module, _, name in (reference.partition(":") for reference in references):
        thing = getattr(import_module(module), name)
        place = Path(inspect.getfile(inspect.getmodule(thing) or import_module(module)))
        if place.is_relative_to(LIBRARY):
            places.append(place.relative_to(LIBRARY).as_posix())
    return " · ".join(f"[{place}]({library}{place})" for place in dict.fromkeys(places))


def _links(references: tuple[str, ...], notebooks: str) -> str:
    """Sections of lectures as links; exercises as their papers' names."""
    shown = []
    for reference in references:
        place, _, heading = reference.partition("#")
        target = anchor(heading).replace("$", "%24")  # a table shows dollars as text
        link = f"[{place.partition('_')[0]} {heading}]({notebooks}{place}#{target})"
        shown.append(link if place.endswith(".ipynb") else place)
    return " · ".join(dict.fromkeys(shown))


def results_markdown(results: Iterable[Result], commands: bool = True) -> str:
    """Numbers as a Markdown table, beside the published ones where there are any.

    Args:
        results: the numbers.
        commands: whether to say what measures each again.
    """
    entries = list(results)
    columns: dict[str, list[Any]] = {"what": [entry.metric for entry in entries], "ours": entries}
    if any(entry.published is not None for entry in entries):
        columns["published"] = [entry.published for entry in entries]
        columns["source of the published value"] = [entry.published_source or None for entry in entries]
    if commands:
        columns["command"] = [f"`{entry.command}`" for entry in entries]
    formats = {title: ".4g" if title == "published" else "" for title in columns}
    return Table(formats, list(zip(*columns.values(), strict=True))).markdown()
