"""A plain table of probabilities as something to search: by step, or by the last token.

The reader of tables in the beam-tree widget (`beam_table.js`) follows the same rules, in the same words.
"""

import re
from collections.abc import Sequence
from typing import Any

import numpy as np
from jaxtyping import Float, Int
from torch import Tensor

from course_lib.decoding.state import NextToken
from course_lib.traces.expansions import ExpansionTrace

NUMBER = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?", re.IGNORECASE)
NEAR = 1e-5  # a row sums to 1 up to this


def read_table(text: str) -> tuple[tuple[str, ...] | None, list[list[float]]]:
    """Read a table that somebody typed or pasted: a line a row, with commas, semicolons, tabs or spaces.

    Where semicolons or tabs part the entries, a comma is a decimal point. A first row without any number
    names the tokens.

    Returns:
        (names or None, rows); the rows may be of different length, `table_record` refuses that.

    Raises:
        ValueError: no row, or an entry that is no number.
    """
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    between = re.compile(
        r"\s*[;\t]\s*" if re.search(r"[;\t]", text) else r"\s*,\s*" if "," in text else r"\s+"
    )
    rows = [between.split(line) for line in lines]
    names = tuple(rows.pop(0)) if rows and not any(map(_is_number, rows[0])) else None
    if not rows:
        raise ValueError("The table has no row of numbers.")
    for i, row in enumerate(rows):
        for j, entry in enumerate(row):
            if not _is_number(entry):
                raise ValueError(f"Row {i + 1}, entry {j + 1} is “{entry}”; it must be a number from 0 to 1.")
    return names, [[float(entry.replace(",", ".")) for entry in row] for row in rows]


def table_step(rows: Float[Tensor, "rows vocabulary"], by: str = "step") -> NextToken:
    """Return a model that reads its next-token distribution off a table, for any search.

    Args:
        rows: probabilities of the next token, or weights.
        by: what a row stands for. "step": the state counts the tokens written, (batch,), from 0. "token":
            the last token chooses the row, and the state stays what it is.

    Raises:
        ValueError: by is something else.
    """
    if by not in ("step", "token"):
        raise ValueError(f"by is {by!r}; allowed are 'step' and 'token'")
    log_probs = rows.log()

    def step(tokens: Int[Tensor, "batch"], state: Any) -> tuple[Tensor, Any]:
        return (log_probs[state], state + 1) if by == "step" else (log_probs[tokens], state)

    return step


def _is_number(entry: str) -> bool:
    return NUMBER.fullmatch(entry.replace(",", ".")) is not None


def table_record(
    rows: Sequence[Sequence[float]],
    names: Sequence[str] | None = None,
    by: str = "step",
    weights: bool = False,
    eos: int | None = None,
    steps: int | None = None,
    source: str = "",
) -> ExpansionTrace:
    """Turn a table into a record that every search can be replayed from.

    Args:
        rows: probabilities of the next token: a row for each step, or a row for each last token, of which the
            first is where the search begins.
        names: of the tokens; None numbers them from 0.
        by: "step" or "token", what a row stands for.
        weights: whether rows that do not sum to 1 are taken as they are. At any temperature but 1 each is
            divided by its sum.
        eos: the token that ends a sequence; None where nothing does.
        steps: most tokens to write; None for the number of rows.
        source: a title for people.

    Raises:
        ValueError: rows of different length, an entry that is no probability, a row that does not sum to 1,
            names or numbers that do not fit.
    """
    if not len(rows) or not len(rows[0]):
        raise ValueError("The table has no row of numbers.")
    width = len(rows[0])
    for i, row in enumerate(rows):
        if len(row) != width:
            raise ValueError(
                f"Row {i + 1} has {len(row)} entries, row 1 has {width}; all rows are equally long."
            )
        for j, entry in enumerate(row):
            if not 0 <= entry <= 1:
                raise ValueError(
                    f"Row {i + 1}, entry {j + 1} is {entry:.6g}; it must be a number from 0 to 1."
                )
        total = sum(row)
        if total == 0:
            raise ValueError(f"Row {i + 1} holds only zeros; some token must be possible.")
        if not weights and abs(total - 1) > NEAR:
            raise ValueError(
                f"Row {i + 1} sums to {total:.6g}, not to 1. Mend it, or take the rows as weights (weights)."
            )
    if names is not None and len(names) != width:
        raise ValueError(f"There are {len(names)} names for {width} columns.")
    if by not in ("step", "token"):
        raise ValueError(f"by is {by!r}; allowed are 'step' and 'token'")
    if by == "token" and len(rows) != width:
        raise ValueError(
            f"A row for each last token needs as many rows as columns; got {len(rows)} and {width}."
        )
    limit = len(rows) if steps is None else steps
    most = len(rows) if by == "step" else 50
    if not 1 <= limit <= most:
        raise ValueError(f"The steps are a whole number from 1 to {most}; got {limit}.")
    if eos is not None and not 0 <= eos < width:
        raise ValueError(f"The token that ends is a column from 0 to {width - 1}; got {eos}.")

    bounds = [0]
    ids: list[int] = []
    values: list[float] = []
    following: list[int] = []
    for i, row in enumerate(rows):
        after = i + 1 if i + 1 < len(rows) else -1
        for entry, token in sorted(((-entry, token) for token, entry in enumerate(row) if entry > 0)):
            ids.append(token)
            values.append(float(np.log(-entry)))
            following.append(after if by == "step" else token)
        bounds.append(len(ids))
    return ExpansionTrace(
        bounds=np.array(bounds),
        token_id=np.array(ids),
        log_prob=np.array(values),
        following=np.array(following),
        known=np.arange(width),
        token=tuple(map(str, range(width))) if names is None else tuple(names),
        temperatures=np.array(()),
        normaliser=np.empty((len(rows), 0)),
        start=0,
        max_length=limit,
        eos=eos,
        top=None,
        source=source,
    )
