"""`course release`, `grade`, `feedback`, `bundle`: what staff does with papers."""

import os
from dataclasses import asdict
from pathlib import Path

import click

from course_tools.console import as_json, course_folder, echo_json, one_line_errors


@click.command()
@click.argument("paper", required=False)
def release(paper: str | None) -> None:
    """Make the students' version of a PAPER from its source; without a name, of every paper."""
    from course_tools import grading
    from course_tools.grading.session import papers

    folder = course_folder()
    with one_line_errors():
        for name in papers(folder) if paper is None else [paper]:
            click.echo(grading.release(name, folder))


@click.command()
@click.argument("paper")
@click.argument("submissions", type=click.Path(exists=True, file_okay=False, path_type=Path))
@click.option("--jobs", type=click.IntRange(min=1), help="How many run at a time.  [default: one a core]")
@click.option(
    "--unsafe",
    is_flag=True,
    help="Run students' code without a sandbox, as you.",
)
@as_json
def grade(paper: str, submissions: Path, jobs: int | None, unsafe: bool, as_json: bool) -> None:
    """Grade the folder SUBMISSIONS of one PAPER: in it a notebook, or a folder with one, for each student.

    Students' code runs in a sandbox (bubblewrap). What has not changed since it was graded is not run again.
    """
    from course_tools.grading.grade import SubmissionResult, table
    from course_tools.grading.grade import grade as grade_all

    results: list[SubmissionResult] = []
    try:
        with one_line_errors():
            grade_all(paper, submissions, course_folder(), results.append, jobs or _cores(), unsafe)
    finally:  # what was graded is shown, whatever happens after
        if results and as_json:
            echo_json([asdict(result) for result in results])
        elif results:
            click.echo(table(results))


def _cores() -> int:
    """How many cores this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


@click.command()
@click.argument("paper")
def feedback(paper: str) -> None:
    """Write each student's feedback on a graded PAPER."""
    from course_tools import grading

    with one_line_errors():
        for path in grading.feedback(paper, course_folder()):
            click.echo(path)


@click.command()
@click.argument("file", type=click.Path(dir_okay=False, path_type=Path))
def bundle(file: Path) -> None:
    """Write the zip FILE for students: papers and their commands, no solutions and no tools of staff."""
    from course_tools.grading.bundle import bundle as write_bundle

    with one_line_errors():
        click.echo(write_bundle(course_folder(), file))


COMMANDS = (release, grade, feedback, bundle)
