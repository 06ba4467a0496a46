"""`course`: open, run, show, train, release, grade and look up, from the command line.

Each command calls one function of the library, which it imports only when it runs.
"""

import io
import os
import sys
from dataclasses import asdict
from functools import partial
from importlib.util import find_spec
from pathlib import Path
from urllib.parse import quote

import click

from course_lib.lecture import PRESETS
from course_tools.console import BadInput, as_json, course_folder, echo_json, one_line_errors
from course_tools.installed import get_lectures, reinstall
from course_tools.papers.commands import COMMANDS as PAPERS

EXAMPLE = "She advised him not to smoke."


def find_lecture(name: str) -> Path:
    """A lecture by path, file name, or the start of its name ("11")."""
    lectures = sorted((course_folder() / "notebooks").glob("*.ipynb"))
    if Path(name).suffix == ".ipynb" and Path(name).exists():
        return Path(name)
    found = [path for path in lectures if path.stem.startswith(Path(name).stem)]
    found = [path for path in found if path.stem.split("_")[0] == name] or found  # "11" is not "11d"
    if len(found) != 1:
        known = ", ".join(path.stem for path in found or lectures)
        raise BadInput(f"{name!r} names {len(found)} lectures; one of these is needed: {known}")
    return found[0]


class Commands(click.Group):
    """Commands, some of which need packages that were not installed."""

    def invoke(self, ctx: click.Context) -> object:
        """Run the command; where a package is missing, say which and what to do."""
        try:
            return super().invoke(ctx)
        except ModuleNotFoundError as error:
            if error.name is None:
                raise
            if error.name.startswith("course_"):
                if find_spec(error.name.split(".")[0]):
                    raise
                raise click.ClickException(
                    f"`course {ctx.invoked_subcommand}` needs {error.name}, "
                    "which is not part of what students get"
                ) from error
            raise click.ClickException(
                f"`course {ctx.invoked_subcommand}` needs {error.name}, which is not installed. {reinstall()}"
            ) from error


@click.group(cls=Commands, context_settings={"help_option_names": ["-h", "--help"]})
def main() -> None:
    """The course on sequence models and attention."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):  # a redirected one on Windows knows no Greek
            stream.reconfigure(errors="replace")


@main.command()
@click.argument("folder", type=click.Path(path_type=Path))
def get(folder: Path) -> None:
    """Bring the lectures and papers of this version into a new FOLDER; `course lab` opens them there."""
    with one_line_errors():
        for made in get_lectures(folder):
            click.echo(made)


@main.command()
@click.argument("lecture", default="00_start_here")
@click.option(
    "--headless", is_flag=True, envvar="HEADLESS", help="Serve and print the address; open no browser."
)
@click.option("--port", default=8888, show_default=True, help="First port to try.")
@click.option("--notes", is_flag=True, help="Open a copy that shows the speaker's notes.")
def lab(lecture: str, headless: bool, port: int, notes: bool) -> None:
    """Open a LECTURE in JupyterLab.

    Without a display or a terminal nothing is opened: the address is printed.
    """
    from course_tools.notes import write_notes
    from course_tools.server import serve

    notebook = find_lecture(lecture)
    folder = course_folder()
    if notes:
        notebook = write_notes(notebook, folder / "runs")
    with one_line_errors():
        place = f"lab/tree/{quote(notebook.resolve().relative_to(folder).as_posix())}"
    serve(folder, place, headless, port)


def execute(notebook: Path, preset: str) -> Path:
    """Run a lecture from top to bottom and return the notebook with its outputs, in runs/."""
    import papermill

    result = course_folder() / "runs" / notebook.name
    result.parent.mkdir(exist_ok=True)
    try:
        papermill.execute_notebook(
            *(str(path).replace("{", "{{").replace("}", "}}") for path in (notebook, result)),  # no templates
            {"PRESET": preset},
            cwd=notebook.parent,
            progress_bar=sys.stderr.isatty(),
            request_save_on_cell_execute=False,  # once, at the end; each time takes as long as a figure
            shutdown_kernel="immediate",  # it has nothing left to do; a polite end takes a second
            extra_arguments=["--IPKernelApp.log_level=ERROR"],
        )
    except papermill.PapermillExecutionError as error:
        what = f"{error.ename}: {error.evalue}"
        raise click.ClickException(
            f"cell {error.cell_index} of {notebook.name}: {what}; see {result}"
        ) from error
    return result


as_preset = click.option("--preset", type=click.Choice(PRESETS), default="lecture", show_default=True)


@main.command()
@click.argument("lecture")
@as_preset
def run(lecture: str, preset: str) -> None:
    """Run a LECTURE from top to bottom without a browser; the result lies in runs/."""
    import time

    notebook = find_lecture(lecture)
    start = time.perf_counter()
    result = execute(notebook, preset)
    click.echo(f"{notebook.name} ran in {time.perf_counter() - start:.0f} s; see {result}")


@main.command()
@click.argument("lecture")
@as_preset
@click.option("--executed", is_flag=True, help="LECTURE is a notebook that was run: take its outputs.")
@click.option("--output", type=click.Path(path_type=Path), help="File (.html) or folder; runs/ if not given.")
def slides(lecture: str, preset: str, executed: bool, output: Path | None) -> None:
    """Run a LECTURE and make a deck of slides of it: one file for a browser, which needs no network.

    The space key goes on, S opens the speaker's view, F fills the screen.
    """
    import nbformat

    from course_lib.figures.display import MODE_VARIABLE
    from course_tools.slides import write_deck

    notebook = find_lecture(lecture)
    os.environ[MODE_VARIABLE] = "page"  # for the kernel: widgets that live without it
    result = notebook if executed else execute(notebook, preset)
    deck = output or course_folder() / "runs"
    if deck.suffix != ".html":
        deck /= f"{notebook.stem}.html"
    with one_line_errors():
        click.echo(write_deck(nbformat.read(result, as_version=4), deck))


@main.command()
@click.argument("folder", type=click.Path(file_okay=False, path_type=Path))
@click.argument("lectures", nargs=-1)
@as_preset
def site(folder: Path, lectures: tuple[str, ...], preset: str) -> None:
    """Run LECTURES (or all) and put them into FOLDER: pages, slides, and a page that leads to all of them.

    They need no network and no server, and FOLDER can be copied anywhere. Pages of other lectures in it stay.
    """
    import nbformat

    from course_lib.figures.display import MODE_VARIABLE
    from course_tools.site import SLIDES, write_index, write_page
    from course_tools.slides import write_deck

    every = sorted((course_folder() / "notebooks").glob("*.ipynb"))
    os.environ[MODE_VARIABLE] = "page"
    chosen = [find_lecture(lecture) for lecture in lectures] or every
    with one_line_errors():
        (folder / SLIDES).mkdir(parents=True, exist_ok=True)  # else the first lecture would run for nothing
        try:
            for notebook in chosen:
                result = nbformat.read(execute(notebook, preset), as_version=4)
                write_deck(result, folder / SLIDES / f"{notebook.stem}.html")
                click.echo(write_page(result, folder / f"{notebook.stem}.html"))
        finally:  # what was made before a lecture failed can be read
            click.echo(write_index(every, folder))


@main.command()
@click.argument("name", required=False)
@click.option("--minutes", type=click.FloatRange(min=0, min_open=True), help="Stop after this long.")
@click.option("--fresh", is_flag=True, help="Start again instead of going on where the last run stopped.")
@click.option("--ship", is_flag=True, help="Replace the model that ships with the course, and its numbers.")
def train(name: str | None, minutes: float | None, fresh: bool, ship: bool) -> None:
    """Run the experiment NAME, which trains or measures a model; without a name, list them."""
    from course_experiments import registry

    found = registry.experiments()
    if name is None:
        width = max(map(len, found))
        for experiment in found.values():
            click.echo(f"{experiment.name:{width}}  {experiment.what} ({experiment.cost})")
        return
    if name not in found:
        raise BadInput(f"no experiment {name!r}; there are: {', '.join(found)}")
    registry.train(name, minutes=minutes, fresh=fresh, ship=ship)


@main.command()
@as_json
def doctor(as_json: bool) -> None:
    """Check this installation and say what to do about what is wrong."""
    from course_tools.doctor import examine

    checks = examine()
    if as_json:
        echo_json([asdict(check) for check in checks])
    else:
        for check in checks:
            click.echo(check)
    sys.exit(any(check.status == "fail" for check in checks))


@main.command()
@click.option("--part", type=click.IntRange(0, 7), help="Only this part.")
@as_json
def syllabus(part: int | None, as_json: bool) -> None:
    """Show every system of the syllabus and which of its cells are met.

    R reference code, P proof, L lecture, E exercise, N number; ● met, ◐ in part, ○ empty, – not asked for.
    """
    from course_tools.syllabus import load_syllabus

    rows = [row for row in load_syllabus() if part in (None, row.part)]
    if as_json:
        echo_json([asdict(row) | {"missing": row.missing} for row in rows])
        return
    width = max(len(row.title) for row in rows)
    heading = None
    for row in rows:
        if row.part != heading:
            heading = row.part
            click.echo(f"\n{f'Part {row.part} · {row.part_title}':{width + 5}}  {' '.join(row.cells)}")
        click.echo(f"{row.id:3}  {row.title:{width}}  {' '.join(map(row.mark, row.cells))}")
    done = sum(not row.missing for row in rows)
    click.echo(f"\n{len(rows)} rows, {done} done   ● met  ◐ in part  ○ empty  – not asked for")


@main.command()
@click.argument("words", nargs=-1, required=True)
@as_json
def where(words: tuple[str, ...], as_json: bool) -> None:
    """Say where the course treats something: where "beam search"."""
    from course_tools.syllabus import find_rows

    query = " ".join(words)
    rows = find_rows(query)
    if not rows:
        raise BadInput(f"nothing in the syllabus comes near {query!r}; `course syllabus` lists everything")
    if as_json:
        echo_json([asdict(row) for row in rows])
        return
    labels = {"R": "code", "P": "proof", "L": "lecture", "E": "exercise", "N": "number"}
    for row in rows:
        click.echo(f"{row.id}  {row.title}")
        for letter, references in row.cells.items():
            if references or letter in row.missing:
                click.echo(
                    f"    {labels[letter]:9} {f'{chr(10)}{14 * chr(32)}'.join(references) or 'not yet'}"
                )


@main.command()
@click.option("--markdown", is_flag=True, help="Print a Markdown table.")
@as_json
def results(markdown: bool, as_json: bool) -> None:
    """Show every number that the course claims."""
    from course_experiments.results import load_results
    from course_tools.tables import results_markdown

    entries = load_results()
    if markdown:
        click.echo(results_markdown(entries))
        return
    if as_json:
        echo_json([asdict(entry) for entry in entries])
        return
    for entry in entries:
        published = "" if entry.published is None else f"  published {entry.published:.4g}"
        click.echo(f"{entry.text:>14}  {entry.metric}{published}\n{'':16}{entry.command}")
    if not entries:
        click.echo("no results are recorded yet")


@main.command()
def docs() -> None:
    """Draw the tables in README.md and docs/ again, from the registers."""
    from course_tools.docs import draw_docs

    folder = course_folder()
    with one_line_errors():
        for page in draw_docs(folder):
            click.echo(f"{page.relative_to(folder)} is drawn again")


@main.command()
@click.argument("path", type=click.Path(dir_okay=False, path_type=Path))
@click.option("--sentence", default=EXAMPLE, show_default=True, help="What is translated, in English.")
def picture(path: Path, sentence: str) -> None:
    """Draw the attention of a shipped model over one sentence into the PNG file PATH."""
    from course_lib.applications.translator import load_translator
    from course_lib.widgets import AttentionHeatmap

    path.parent.mkdir(parents=True, exist_ok=True)
    with one_line_errors():
        AttentionHeatmap(load_translator("bahdanau").attention_trace(sentence)).save_png(path)


@main.command()
@click.option("--widgets", is_flag=True, help="Measure how long widgets let one wait; needs Chromium.")
@click.option("--grading", is_flag=True, help="Measure grading, ten minutes; needs a clone.")
@click.option("--ship", is_flag=True, help="Record what was measured.")
@as_json
def bench(widgets: bool, grading: bool, ship: bool, as_json: bool) -> None:
    """Measure our speed beside other implementations; some minutes."""
    from course_experiments.benchmarks import BENCHMARKS
    from course_experiments.registry import keep
    from course_experiments.speed.harness import speed_result
    from course_experiments.speed.widgets import film_result, wait_result, widget_waits

    if widgets:
        with one_line_errors():
            waits, films = widget_waits()
        if ship:
            keep([*map(wait_result, waits), *map(film_result, films)], "course bench --widgets --ship")
        if as_json:
            entries = [asdict(wait) | {"met": wait.met} for wait in waits]
            echo_json(entries + [asdict(film) | {"met": film.met} for film in films])
            return
        for line in map(str, (*waits, *films)):
            click.echo(line)
        return
    benchmarks = BENCHMARKS
    if grading:
        from course_tools.grading.speed import grading_speed

        benchmarks = {"grading": partial(grading_speed, course_folder())}
    measured = {}
    for id, benchmark in benchmarks.items():
        try:
            with one_line_errors():
                measured[id] = benchmark()
        except ModuleNotFoundError as error:  # the other implementation is not installed
            click.echo(f"{id}: {error}", err=True)
    if ship:
        command = f"course bench{' --grading' if grading else ''} --ship"
        keep([speed_result(id, entry) for id, entry in measured.items()], command)
    if as_json:
        echo_json([asdict(entry) | {"ratio": entry.ratio, "met": entry.met} for entry in measured.values()])
        return
    for entry in measured.values():
        verdict = "met" if entry.met else "missed"
        click.echo(
            f"{entry.name}: ours {entry.ours:.3g} s, {entry.against} {entry.theirs:.3g} s, "
            f"ratio {entry.ratio:.3f}, target {entry.target:.3g} {verdict}"
        )


for command in PAPERS:
    main.add_command(command)
if find_spec("course_tools.grading"):  # a student's bundle has no tools of staff
    from course_tools.grading.commands import COMMANDS as STAFF

    for command in STAFF:
        main.add_command(command)

if __name__ == "__main__":
    main()
