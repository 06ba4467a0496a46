"""The registers as Markdown tables, for the lectures and the pages under docs/."""

from collections.abc import Iterable

from course_experiments.results import Result
from course_tools.syllabus import load_syllabus


def markdown_table(header: Iterable[str], rows: Iterable[Iterable[str]]) -> str:
    """A Markdown table; what a cell holds is text: a vertical bar is escaped, and `<` opens no HTML."""
    lines = [list(header)]
    lines += [["---"] * len(lines[0]), *(list(row) for row in rows)]
    escaped = ([cell.replace("|", "\\|").replace("<", "&lt;") for cell in line] for line in lines)
    return "\n".join(f"| {' | '.join(line)} |" for line in escaped)


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
        table = markdown_table(["", "system", "lecture", "exercise", "R", "P", "L", "E", "N"], lines)
        sections.append(f"### Part {part} · {title}\n\n{table}")
    return "\n\n".join(sections)


def _links(references: tuple[str, ...], notebooks: str) -> str:
    """Sections of lectures as links; exercises as their papers' names."""
    shown = []
    for reference in references:
        place, _, heading = reference.partition("#")
        link = f"[{place.partition('_')[0]} {heading}]({notebooks}{place}#{heading.replace(' ', '-')})"
        shown.append(link if place.endswith(".ipynb") else place)
    return " · ".join(dict.fromkeys(shown))


def results_markdown(results: Iterable[Result], commands: bool = True) -> str:
    """Numbers as a Markdown table, beside the published ones where there are any.

    Args:
        results: the numbers.
        commands: whether to say what measures each again.
    """
    entries = list(results)
    columns = {"what": [entry.metric for entry in entries], "ours": [entry.text for entry in entries]}
    if any(entry.published is not None for entry in entries):
        columns["published"] = [_published(entry) for entry in entries]
        columns["source of the published value"] = [entry.published_source or "–" for entry in entries]
    if commands:
        columns["command"] = [f"`{entry.command}`" for entry in entries]
    return markdown_table(columns, zip(*columns.values(), strict=True))


def _published(entry: Result) -> str:
    return "–" if entry.published is None else f"{entry.published:.4g}"
