"""Search again without the model, from what it said when it was recorded."""

from collections.abc import Sequence
from dataclasses import replace

import torch
from torch import Tensor

from course_lib.decoding.beam import beam_search
from course_lib.decoding.penalty import LengthPenalty
from course_lib.decoding.temperature import check_temperature
from course_lib.traces import BeamTrace
from course_lib.traces.expansions import ExpansionTrace


class NotRecordedError(ValueError):
    """A search asks for what the record does not hold; the message says for what."""


class _Recorded:
    """A record as a next-token function; its state (batch, 2): the expansion before the token, the step."""

    def __init__(self, record: ExpansionTrace, temperature: float, texts: dict[int, str]) -> None:
        self.record, self.vocabulary, self.text = record, max(texts) + 1, texts
        self.temperature = temperature
        self.column: int | None = None
        if record.top is not None and temperature != 1:
            near = abs(record.temperatures - temperature) < 1e-6
            if not near.any():
                first, last = record.temperatures.min(), record.temperatures.max()
                raise NotRecordedError(
                    f"only the {record.top} likeliest continuations of each prefix are recorded, and "
                    f"temperature {temperature:g} needs them all; what it needs is recorded for {first:g} to "
                    f"{last:g} in tenths"
                )
            self.column = int(near.argmax())

    def __call__(self, tokens: Tensor, state: Tensor) -> tuple[Tensor, Tensor]:
        following = [self._follow(*row) for row in zip(tokens.tolist(), *state.T.tolist(), strict=True)]
        rows = torch.stack([self._row(expansion) for expansion in following])
        return rows, torch.stack([torch.tensor(following), state[:, 1] + 1], dim=1)

    def _follow(self, token: int, expansion: int, step: int) -> int:
        record = self.record
        if step == 0:
            return record.start
        first, last = record.bounds[expansion : expansion + 2]
        place = first + record.token_id[first:last].tolist().index(token)
        if record.following[place] < 0:
            raise NotRecordedError(
                f"at step {step + 1} this search looks at what follows “{self.text[token]}”, "
                "where no recorded search has been"
            )
        return int(record.following[place])

    def _row(self, expansion: int) -> Tensor:
        first, last = self.record.bounds[expansion : expansion + 2]
        values = torch.tensor(self.record.log_prob[first:last].tolist(), dtype=torch.float64)
        if self.temperature != 1:
            values = values / self.temperature
            column, sums = self.column, self.record.normaliser
            values -= values.logsumexp(0) if column is None else float(sums[expansion, column])
            values = values.float().double()  # as a model gives them: their sums are exact, and so are ties
        row = torch.full((self.vocabulary,), -torch.inf, dtype=torch.float64)
        row[self.record.token_id[first:last].tolist()] = values
        return row


def replay(
    record: ExpansionTrace,
    beam_size: int,
    penalty: LengthPenalty = LengthPenalty(),
    temperature: float = 1.0,
    reference: tuple[Sequence[int], Sequence[str]] | None = None,
) -> BeamTrace:
    """Search again without the model; the tree is that of the model's search, up to rounding.

    A rank is counted among what is recorded: from rank `record.top` on it may be too good.

    Args:
        record: what the model said.
        beam_size: k, at least 1.
        penalty: how finished hypotheses of different length are compared.
        temperature: above 0.
        reference: token ids that somebody holds to be right, and their texts; None where nobody does.

    Raises:
        NotRecordedError: the search needs what the record does not hold.
        ValueError: an argument is out of its range.
    """
    if record.top is not None and beam_size + 1 > record.top:
        raise NotRecordedError(
            f"only the {record.top} likeliest continuations of each prefix are recorded, and a beam of "
            f"{beam_size} needs {beam_size + 1}"
        )
    check_temperature(temperature)
    texts = dict(zip(record.known.tolist(), record.token, strict=True))
    if reference is not None:
        texts |= zip(*reference, strict=True)
    step = _Recorded(record, temperature, texts)
    (found,) = beam_search(
        step,
        torch.zeros(1, 2, dtype=torch.long),
        torch.zeros(1, dtype=torch.long),
        record.eos,
        record.max_length,
        beam_size,
        penalty,
        [texts.get(i, "") for i in range(step.vocabulary)],
        [record.source],
        references=None if reference is None else [reference[0]],
    )
    assert found.trace is not None
    return replace(found.trace, temperature=float(temperature))
