"""The registers as Markdown tables, for the README and the lectures."""

from collections.abc import Iterable
from pathlib import Path

from course_experiments.results import Result, result
from course_lib.figures import Table
from course_tools.syllabus import load_syllabus


def syllabus_markdown() -> str:
    """The index of the course: one table a part, each row with its lecture, exercise and five cells."""
    sections = []
    rows = load_syllabus()
    for part, title in dict.fromkeys((row.part, row.part_title) for row in rows):
        lines = [
            [row.id, row.title, _links(row.lectures), _links(row.exercises), *map(row.mark, row.cells)]
            for row in rows
            if row.part == part
        ]
        table = Table(
            dict.fromkeys(["", "system", "lecture", "exercise", "R", "P", "L", "E", "N"], ""), lines
        )
        sections.append(f"### Part {part} · {title}\n\n{table.markdown()}")
    return "\n\n".join(sections)


def _links(references: tuple[str, ...]) -> str:
    """Sections of lectures as links, seen from the lectures' folder; exercises as their papers' names."""
    shown = []
    for reference in references:
        place, _, heading = reference.partition("#")
        link = f"[{place.partition('_')[0]} {heading}]({place}#{heading.replace(' ', '-')})"
        shown.append(link if place.endswith(".ipynb") else place)
    return " · ".join(dict.fromkeys(shown))


def headline_results() -> tuple[Result, ...]:
    """The numbers that stand in the syllabus, in its order: few enough for a README."""
    named = dict.fromkeys(id for row in load_syllabus() for id in row.results)
    return tuple(result(id) for id in named)


def results_markdown(results: Iterable[Result]) -> str:
    """Numbers beside the published ones, as a Markdown table."""
    columns = {"what": "", "ours": "", "published": ".4g", "source of the published value": "", "command": ""}
    rows = [
        (entry.metric, entry, entry.published, entry.published_source or None, f"`{entry.command}`")
        for entry in results
    ]
    return Table(columns, rows).markdown()


def write_results_into(path: Path) -> None:
    """Replace what stands between `<!-- results -->` and `<!-- end of results -->` by the syllabus's numbers.

    Raises:
        ValueError: if the file lacks one of the two marks.
    """
    text = path.read_text(encoding="utf8")
    before, opening, rest = text.partition("<!-- results -->\n")
    _, closing, after = rest.partition("<!-- end of results -->")
    if not (opening and closing):
        raise ValueError(f"{path} has no block between <!-- results --> and <!-- end of results -->")
    path.write_text(
        f"{before}{opening}\n{results_markdown(headline_results())}\n\n{closing}{after}", encoding="utf8"
    )
