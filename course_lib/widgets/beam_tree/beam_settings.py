"""What a reader of the beam tree can set, and the words where it makes no sense."""

from collections.abc import Sequence
from typing import Any

from course_lib.decoding.penalty import FORMULAS, Kind
from course_lib.decoding.replay import NotRecordedError
from course_lib.decoding.table import read_table, table_record
from course_lib.figures.tokens import token_label
from course_lib.traces.expansions import ExpansionTrace

WIDEST_BEAM = 20  # a wider one can't be read
SETTINGS = ("beam_size", "kind", "alpha", "temperature", "table")


def form_of(
    rows: Sequence[Sequence[float]],
    names: Sequence[str] | None,
    by: str,
    weights: bool,
    eos: int | None,
    steps: int | None,
) -> dict[str, Any]:
    """Return a table as the widget's form holds it."""
    return {
        "text": "\n".join(", ".join(map(repr, row)) for row in rows),
        "names": None if names is None else [token_label(name) for name in names],
        "by": by,
        "weights": weights,
        "eos": eos,
        "steps": steps,
    }


def record_of(table: dict[str, Any] | None) -> ExpansionTrace:
    """Return what a typed table can be searched from; ValueError says what is wrong with it."""
    if table is None:
        raise NotRecordedError("there is no model behind this table")
    names, rows = read_table(table["text"])
    rest = {name: table[name] for name in ("by", "weights", "eos", "steps")}
    return table_record(rows, names or table["names"], source="a table typed here", **rest)


def settings_of(beam_size: int, kind: Kind, alpha: float, temperature: float) -> dict[str, Any]:
    """Return checked settings as the view holds them."""
    settings = {"beam_size": beam_size, "kind": kind, "alpha": alpha, "temperature": temperature}
    check_settings(settings)
    return settings


def check_settings(settings: dict[str, Any]) -> None:
    """Raise ValueError, in words for a reader, unless a search can have these settings."""
    beam_size, alpha, temperature = (settings[name] for name in ("beam_size", "alpha", "temperature"))
    if type(beam_size) is not int or not 1 <= beam_size <= WIDEST_BEAM:
        raise ValueError(f"The beam width is a whole number from 1 to {WIDEST_BEAM}; got {beam_size}.")
    if type(alpha) not in (int, float) or not 0 <= alpha <= 2:
        raise ValueError(f"Alpha is a number from 0 to 2; got {alpha}.")
    if temperature is not None and (type(temperature) not in (int, float) or not 0.1 <= temperature <= 10):
        raise ValueError(f"The temperature is a number from 0.1 to 10; got {temperature}.")
    if settings["kind"] is not None and settings["kind"] not in FORMULAS:
        raise ValueError(f"kind is one of {', '.join(FORMULAS)}; got {settings['kind']!r}")
