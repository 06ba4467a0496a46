"""What all commands share: where the course lies, errors in one line, output for programs."""

import json
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import click


class BadInput(click.ClickException):
    """What was asked for does not exist or makes no sense: one line, exit code 2."""

    exit_code = 2


@contextmanager
def one_line_errors() -> Iterator[None]:
    """Show what a library function says about its arguments as one line, without a traceback."""
    try:
        yield
    except (ValueError, KeyError, OSError) as error:
        message = error.args[0] if isinstance(error, KeyError) else error
        raise BadInput(str(message)) from error
    except RuntimeError as error:
        raise click.ClickException(str(error)) from error


def course_folder() -> Path:
    """The folder with the lectures: here, above here, or where the package lies."""
    here = Path.cwd()
    for folder in (here, *here.parents, Path(__file__).parents[1]):
        if (folder / "notebooks" / "00_start_here.ipynb").exists():
            return folder.resolve()
    raise BadInput(
        "no notebooks/00_start_here.ipynb here or above; run this inside the course's folder, "
        "or bring the lectures with `course get FOLDER`"
    )


def echo_json(value: object) -> None:
    """Print a value for programs."""
    click.echo(json.dumps(value, indent=2, ensure_ascii=False))


as_json = click.option("--json", "as_json", is_flag=True, help="Print JSON, for programs.")
