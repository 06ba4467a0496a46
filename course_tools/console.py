"""What all commands share: errors in one line, output for programs."""

import json
from collections.abc import Iterator
from contextlib import contextmanager

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


def echo_json(value: object) -> None:
    """Print a value for programs."""
    click.echo(json.dumps(value, indent=2, ensure_ascii=False))


as_json = click.option("--json", "as_json", is_flag=True, help="Print JSON, for programs.")
