"""Pairs of answers that are alike, side by side."""

from html import escape
from pathlib import Path

from course_tools.grading.page import page
from course_tools.grading.similar import Answer, Pair, find_pairs, read_answers

_HINT = """<p>Lines with a bar have runs of tokens in common with the other answer, whatever the variables are
called. This is a hint, never a verdict: people who learn together, or from one source, write alike. Talk to
them.</p>"""


def similar(paper: str, course_dir: Path) -> tuple[Path, list[Pair]]:
    """Write a page with the answers to a graded paper that are alike.

    Args:
        paper: a name, such as `ps04_attention`.
        course_dir: the folder that holds the course.

    Returns:
        `(path, pairs)`: `similar/<paper>.html`, and what is on it, those with the most in common first.

    Raises:
        ValueError: there is no such paper, or nothing of it is graded yet.
    """
    pairs = find_pairs(read_answers(paper, course_dir))
    target = course_dir / "similar" / f"{paper}.html"
    target.parent.mkdir(exist_ok=True)
    body = "\n".join([_HINT, _contents(pairs), *map(_section, range(len(pairs)), pairs)])
    target.write_text(page(f"Answers that are alike: {paper}", body), encoding="utf-8")
    return target, pairs


def _contents(pairs: list[Pair]) -> str:
    if not pairs:
        return "<p>No two answers are alike beyond what the paper gives.</p>"
    rows = "\n".join(
        f'<tr><td><a href="#pair-{number}">{escape(pair.first.exercise)}</a></td>'
        f"<td>{escape(pair.first.student)}</td><td>{escape(pair.second.student)}</td>"
        f'<td class="number">{pair.share:.0%}</td><td class="number">{len(pair.common)}</td></tr>'
        for number, pair in enumerate(pairs)
    )
    return (
        '<table><thead><tr><th>exercise</th><th colspan="2">students</th><th class="number">of the shorter '
        f'answer</th><th class="number">runs in common</th></tr></thead><tbody>{rows}</tbody></table>'
    )


def _section(number: int, pair: Pair) -> str:
    title = f"{pair.first.exercise}: {pair.first.student} and {pair.second.student}"
    sides = "".join(_side(answer, pair) for answer in (pair.first, pair.second))
    return f'<section id="pair-{number}"><h2>{escape(title)}</h2><div class="beside">{sides}</div></section>'


def _side(answer: Answer, pair: Pair) -> str:
    alike = {line for run in pair.common for line in answer.runs[run]}
    lines = "".join(
        f'<span class="alike">{escape(line)}</span>' if number in alike else f"<span>{escape(line)}</span>"
        for number, line in enumerate(answer.source.split("\n"), start=1)
    )
    return f"<div><h3>{escape(answer.student)}</h3><pre>{lines}</pre></div>"
