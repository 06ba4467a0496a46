"""The registers as tables, for the lectures and the pages under docs/."""

from collections.abc import Iterable
from typing import Any

from course_experiments.results import Result
from course_lib.figures import Table
from course_tools.markdown import anchor
from course_tools.syllabus import load_syllabus


def syllabus_markdown(notebooks: str = "") -> str:
    """The index of the course: one table a part, each row with its lecture, exercise and five cells.

    Args:
        notebooks: the way from the page to the lectures' folder, "../notebooks/"; "" stands in that folder.
    """
    sections = []
    rows = load_syllabus()
    for part, title in dict.fromkeys((row.part, row.part_title) for row in rows):
        lines = [
            [
                row.id,
                row.title,
                _links(row.lectures, notebooks),
                _links(row.exercises, notebooks),
                *map(row.mark, row.cells),
            ]
            for row in rows
            if row.part == part
        ]
        titles = ["", "system", "lecture", "exercise", "R", "P", "L", "E", "N"]
        sections.append(f"### Part {part} · {title}\n\n{Table(dict.fromkeys(titles, ''), lines).markdown()}")
    return "\n\n".join(sections)


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
