"""`course release`, `grade`, `feedback` and what else staff does with papers."""

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
@click.argument("submissions", type=click.Path(exists=True, path_type=Path))
@click.option("--jobs", type=click.IntRange(min=1), help="How many run at a time.  [default: one a core]")
@click.option(
    "--scheduler", metavar="ADDRESS", help="Run them on the Dask cluster of this scheduler instead."
)
@click.option("--unsafe", is_flag=True, help="Run students' code without a sandbox, as you.")
@as_json
def grade(
    paper: str, submissions: Path, jobs: int | None, scheduler: str | None, unsafe: bool, as_json: bool
) -> None:
    """Grade SUBMISSIONS of one PAPER: a class' zip, or a folder with the work of each student.

    Students' code runs in a sandbox (bubblewrap). What has not changed since it was graded is not run again.
    """
    from course_tools.grading.class_zip import unpacked
    from course_tools.grading.grade import SubmissionResult, table
    from course_tools.grading.grade import grade as grade_all

    if jobs and scheduler:
        raise click.UsageError("--jobs is for this machine; a cluster runs as many as it has workers")
    results: list[SubmissionResult] = []
    try:
        with one_line_errors(), unpacked(submissions) as folder:
            how_many = jobs or _cores()
            grade_all(paper, folder, course_folder(), results.append, how_many, unsafe, scheduler or "")
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
@click.option("--format", type=click.Choice(["moodle", "canvas"]), required=True, help="Whose table it is.")
@click.option(
    "--to",
    type=click.Path(dir_okay=False, path_type=Path),
    help="The file to write; PAPER-FORMAT.csv if not given.",
)
def grades(paper: str, format: str, to: Path | None) -> None:
    """Write the scores of a PAPER into the table of a learning platform, to be uploaded.

    The roster of course.toml is the platform's own table: Moodle's grading worksheet, Canvas' gradebook.
    """
    from course_tools.grading.course_file import read_class
    from course_tools.grading.grade import GRADES_FILE, update_grades
    from course_tools.grading.platform_grades import write_grades
    from course_tools.grading.session import check_paper, nbgrader_session

    with one_line_errors():
        folder = course_folder()
        check_paper(paper, folder)
        with nbgrader_session(folder) as api:
            update_grades(api, paper, folder)
        target = to or Path(f"{paper}-{format}.csv")
        count, without = write_grades(paper, folder / GRADES_FILE, target, format, read_class(folder))
    for student, reason in sorted(without.items()):
        click.echo(f"{student}: no score, {reason}")
    click.echo(f"{target}: {count} of {count + len(without)} have a score")


@click.command()
@click.argument("paper")
def similar(paper: str) -> None:
    """Show which answers to a graded PAPER are alike, side by side: a hint for a person, never a verdict."""
    from course_tools.grading.similar_page import similar as write_page

    with one_line_errors():
        path, pairs = write_page(paper, course_folder())
    for pair in pairs:
        first, second = pair.first, pair.second
        click.echo(f"{first.exercise}: {first.student} and {second.student}, {pair.share:.0%}")
    click.echo(f"{path}: pairs of answers that are alike: {len(pairs)}")


@click.command()
@click.argument("paper")
@click.option(
    "--headless", is_flag=True, envvar="HEADLESS", help="Serve and print the address; open no browser."
)
@click.option("--port", default=8888, show_default=True, help="First port to try.")
def mark(paper: str, headless: bool, port: int) -> None:
    """Mark a graded PAPER by hand, in formgrader: each written answer with the model answer beside it."""
    from course_tools.grading.marking import mark as mark_by_hand

    with one_line_errors():
        mark_by_hand(paper, course_folder(), headless, port)


@click.command()
@click.argument("paper")
def feedback(paper: str) -> None:
    """Write each student's feedback on a graded PAPER."""
    from course_tools import grading

    with one_line_errors():
        for path in grading.feedback(paper, course_folder()):
            click.echo(path)


@click.command()
@click.argument("paper")
def overview(paper: str) -> None:
    """Write what was hard for the class in a graded PAPER: a page, and a table of points by exercise."""
    from course_tools.grading.overview import overview as write_overview

    with one_line_errors():
        for path in write_overview(paper, course_folder()):
            click.echo(path)


@click.command()
@click.argument("file", type=click.Path(dir_okay=False, path_type=Path))
def bundle(file: Path) -> None:
    """Write the zip FILE for students: papers and their commands, no solutions and no tools of staff."""
    from course_tools.grading.bundle import bundle as write_bundle

    with one_line_errors():
        click.echo(write_bundle(course_folder(), file))


COMMANDS = (release, grade, mark, grades, similar, feedback, overview, bundle)
