"""`course start`, `check`, `submit`, `progress`: what a student does with a paper."""

import shutil
import textwrap
from dataclasses import asdict
from pathlib import Path

import click

from course_tools.console import BadInput, as_json, echo_json, one_line_errors
from course_tools.papers.check import DONE, EMPTY, UNCHECKED, WRITTEN, WRONG, Outcome, Work, recall
from course_tools.papers.paper import Paper, find_paper, find_work, papers

_MARKS = {DONE: "●", WRITTEN: "●", WRONG: "✗", UNCHECKED: "?", EMPTY: "○"}


def _work(wanted: str) -> Work:
    paper = find_paper(wanted)
    return Work(paper, find_work(paper, wanted))


def _time(minutes: int) -> str:
    hours, rest = divmod(minutes, 60)
    return f"{hours} h {rest} min" if hours else f"{rest} min"


@click.command()
@click.argument("paper")
@click.option(
    "--folder",
    default=".",
    type=click.Path(file_okay=False, path_type=Path),
    help="Where to; here if not given.",
)
def start(paper: str, folder: Path) -> None:
    """Copy a PAPER ("ps04") into this folder, to work on it; never over a file that is there."""
    with one_line_errors():
        found = find_paper(paper)
        target = folder / f"{found.name}.ipynb"
        folder.mkdir(parents=True, exist_ok=True)
        try:
            with target.open("xb") as file, found.path.open("rb") as source:
                shutil.copyfileobj(source, file)
        except FileExistsError as error:
            raise BadInput(
                f"{target} is there already, and nothing in it may be lost; "
                "go on working in it, or start in another folder with --folder"
            ) from error
    points = sum(exercise.points for exercise in found.exercises)
    minutes = sum(exercise.minutes for exercise in found.exercises)
    click.echo(
        f"{target}: {len(found.exercises)} exercises, {points:g} points, about {_time(minutes)}.\n"
        f"Open it with `jupyter lab {target}`; save it, then `course check {paper}` says what is done."
    )


@click.command()
@click.argument("paper")
@click.argument("exercise", required=False)
@as_json
def check(paper: str, exercise: str | None, as_json: bool) -> None:
    """Run the visible checks of your PAPER, or of one EXERCISE of it ("7", "2b", "greedy").

    What counts is what was saved. The exit code is 0 if nothing is left to do.
    """
    from course_tools.papers.check import check as check_all

    with one_line_errors():
        work = _work(paper)
        chosen = work.paper.exercises if exercise is None else (work.paper.find(exercise),)
        if not as_json:
            click.echo(f"{work.path}, as it was saved")
            for note in _for_students(work.notes):
                click.echo(f"Note: {note}.")
        outcomes = check_all(work, chosen, (lambda outcome: None) if as_json else _show)
    if as_json:
        echo_json([asdict(outcome) for outcome in outcomes])
    elif exercise is None:
        click.echo(_summary(outcomes))
    click.get_current_context().exit(not all(outcome.finished for outcome in outcomes))


def _for_students(notes: list[str]) -> list[str]:
    """Of what a grader reads about a notebook, what a student may mend."""
    return [note for note in notes if not note.startswith("the kernel was")]


def _show(outcome: Outcome) -> None:
    exercise = outcome.exercise
    click.echo(f"{_MARKS[outcome.state]} {exercise.label:>3}  {exercise.title}: {outcome.state}")
    if outcome.message:
        click.echo(textwrap.fill(outcome.message, 100, initial_indent=" " * 7, subsequent_indent=" " * 7))


def _summary(outcomes: list[Outcome]) -> str:
    counts = {state: sum(outcome.state == state for outcome in outcomes) for state in _MARKS}
    left = [outcome.exercise for outcome in outcomes if not outcome.finished]
    parts = [f"{count} {state}" for state, count in counts.items() if count]
    text = f"{len(outcomes) - len(left)} of {len(outcomes)} exercises are finished: {', '.join(parts)}"
    minutes = sum(exercise.minutes for exercise in left)
    return f"{text}; about {_time(minutes)} to go" if minutes else text


@click.command()
@click.argument("paper")
@click.option("--anyway", is_flag=True, help="Write the file although something is missing or stops.")
def submit(paper: str, anyway: bool) -> None:
    """Run your PAPER from top to bottom in a fresh Python and write the one file to hand in."""
    from course_tools.papers.hand_in import faults, hand_in

    with one_line_errors():
        work = _work(paper)
        click.echo(f"{work.path}, as it was saved, runs from top to bottom …")
        found = [*_for_students(work.notes), *faults(work, _show)]
        for fault in found:
            click.echo(textwrap.fill(f"✗ {fault}", 100, subsequent_indent="  "))
        if found and not anyway:
            raise click.ClickException(
                "nothing was written. Mend this, save and try again; or hand in what there is: "
                f"`course submit {paper} --anyway`"
            )
        path = hand_in(work)
    click.echo(f"Hand in this file: {path}")


@click.command()
@click.argument("paper", required=False)
@as_json
def progress(paper: str | None, as_json: bool) -> None:
    """Show how many exercises of each paper are done; of one PAPER, which.

    An answer that changed after `course check` counts as not checked.
    """
    with one_line_errors():
        if paper is not None:
            outcomes = recall(_work(paper))
            if as_json:
                echo_json([asdict(outcome) for outcome in outcomes])
                return
            for outcome in outcomes:
                click.echo(_line(outcome))
            click.echo(_summary(outcomes))
            return
        rows = {found.name: _state(found) for found in papers()}
    if as_json:
        echo_json(rows)
        return
    width = max(map(len, rows))
    for name, state in rows.items():
        click.echo(f"{name:{width}}  {state}")


def _line(outcome: Outcome) -> str:
    exercise = outcome.exercise
    minutes = f"{exercise.minutes} min" if exercise.minutes else ""
    effort = ", ".join(filter(None, [f"{exercise.points:g} points", minutes, exercise.difficulty]))
    return f"{_MARKS[outcome.state]} {exercise.label:>3}  {exercise.title} ({effort}): {outcome.state}"


def _state(paper: Paper) -> str:
    try:
        path = find_work(paper)
    except ValueError:
        return f"not started: `course start {paper.name}`"
    try:
        return _summary(recall(Work(paper, path)))
    except (ValueError, OSError) as error:
        return str(error)


COMMANDS = (start, check, submit, progress)
