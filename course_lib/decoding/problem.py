"""A search problem: all that a beam search needs but its settings; and a record of its searches."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any, Protocol, runtime_checkable

import numpy as np
import torch
from jaxtyping import Int
from torch import Tensor

from course_lib.decoding.beam import beam_search, likeliest
from course_lib.decoding.blocking import Written
from course_lib.decoding.penalty import LengthPenalty
from course_lib.decoding.state import NextToken, first_tensor
from course_lib.decoding.temperature import Tempered
from course_lib.traces import BeamTrace
from course_lib.traces.expansions import ExpansionTrace

TOP = 24  # continuations recorded of each prefix; a beam of k needs k + 1
TEMPERATURES = tuple(round(0.1 * tenth, 1) for tenth in range(2, 31))  # those whose normaliser is recorded


@runtime_checkable
class Encoding(Protocol):
    """What a search needs of a vocabulary."""

    @property
    def pieces(self) -> Sequence[str]:
        """The text of each token."""

    def encode(self, text: str) -> list[int]:
        """Return the tokens of a text."""


@runtime_checkable
class TextModel(Protocol):
    """What a search needs of a translator."""

    bos_id: int
    eos_id: int
    longest: int

    @property
    def target_encoding(self) -> Encoding:
        """The encoding of what is written."""

    def source_pieces(self, text: str) -> tuple[str, ...]:
        """Return what is read of a text."""

    def start(self, texts: Sequence[str]) -> Any:
        """Return the state before the first token."""

    def step(self, tokens: Tensor, state: Any) -> tuple[Tensor, Any]:
        """Return the log-probabilities of the next token, and the state after the given one."""


@dataclass(frozen=True)
class SearchProblem:
    """What is searched: a next-token function, where it begins and where it ends.

    Args:
        step: the next-token function.
        state: the state before the first token, of one sentence (a batch of 1).
        first: the token that the sentence begins with.
        eos: the token that ends it; None where nothing does.
        max_length: most tokens to write, `eos` counted; at least 1.
        pieces: the text of each token.
        source: what is decoded from, for people.
        reference: token ids that somebody holds to be right, `eos` included; None where nobody does.
    """

    step: NextToken
    state: Any
    first: int
    eos: int | None
    max_length: int
    pieces: Sequence[str]
    source: str = ""
    reference: tuple[int, ...] | None = None

    @classmethod
    def translation(
        cls,
        translator: TextModel,
        text: str,
        max_length: int | None = None,
        reference: str | Sequence[int] | None = None,
    ) -> "SearchProblem":
        """Return the problem of translating a text.

        Args:
            translator: the model.
            text: the source sentence.
            max_length: most tokens to write; None for twice what is read and five more, at most the
                translator's own limit.
            reference: a translation that somebody holds to be right: a text, or its ids with the
                end-of-sentence token.

        Raises:
            ValueError: the text is empty.
        """
        limit = min(translator.longest, 2 * len(translator.source_pieces(text)) + 5)
        if isinstance(reference, str):
            reference = [*translator.target_encoding.encode(reference), translator.eos_id]
        return cls(
            step=translator.step,
            state=translator.start([text]),
            first=translator.bos_id,
            eos=translator.eos_id,
            max_length=limit if max_length is None else max_length,
            pieces=translator.target_encoding.pieces,
            source=text,
            reference=None if reference is None else tuple(reference),
        )


class _ToTheLimit(LengthPenalty):
    """The longest is the best, so that no search stops early."""

    def score(self, log_prob: float, length: int) -> float:
        return length


class Recorder:
    """Searches a problem with its model, and keeps what the model says on the way.

    Args:
        problem: what is searched.
        top: continuations kept of each prefix, at least 2; all, where the vocabulary has no more.

    Raises:
        ValueError: `top` is below 2.
    """

    def __init__(self, problem: SearchProblem, top: int = TOP) -> None:
        if top < 2:
            raise ValueError(f"top is {top}; allowed is 2 or more, for a beam of k needs k + 1")
        self.problem, self.top = problem, top
        self._vocabulary = 0
        self._expanded: dict[tuple[int, ...], tuple[list[float], list[int], list[float]]] = {}

    def search(
        self, beam_size: int, penalty: LengthPenalty = LengthPenalty(), temperature: float = 1.0
    ) -> BeamTrace:
        """Search with the model, and return the tree."""
        problem, first = self.problem, first_tensor(self.problem.state)
        device = None if first is None else first.device
        (found,) = beam_search(
            Tempered(self._step, temperature),
            Written(problem.state, torch.empty(1, 0, dtype=torch.long, device=device)),
            torch.tensor([problem.first], device=device),
            problem.eos,
            problem.max_length,
            beam_size,
            penalty,
            problem.pieces,
            [problem.source],
            references=None if problem.reference is None else [problem.reference],
        )
        assert found.trace is not None
        return replace(found.trace, temperature=float(temperature))

    def explore(self, beam_sizes: Iterable[int], temperatures: Iterable[float] = (1.0,)) -> None:
        """Search to the limit, so that every penalty can be replayed with these sizes and temperatures."""
        temperatures = tuple(temperatures)
        for beam_size in beam_sizes:
            for temperature in temperatures:
                self.search(beam_size, _ToTheLimit(), temperature)

    def record(self) -> ExpansionTrace:
        """Return what was kept.

        Raises:
            ValueError: nothing was searched yet.
        """
        if not self._expanded:
            raise ValueError("nothing is recorded yet; search or explore first")
        number = {prefix: i for i, prefix in enumerate(self._expanded)}
        bounds = [0]
        ids: list[int] = []
        log_probs: list[float] = []
        following: list[int] = []
        for prefix, (values, tokens, _) in self._expanded.items():
            ids += tokens
            log_probs += values
            following += [number.get((*prefix, token), -1) for token in tokens]
            bounds.append(len(ids))
        known = np.unique(ids)
        complete = self._vocabulary <= self.top
        return ExpansionTrace(
            bounds=np.array(bounds),
            token_id=np.array(ids),
            log_prob=np.array(log_probs),
            following=np.array(following),
            known=known,
            token=tuple(self.problem.pieces[i] for i in known.tolist()),
            temperatures=np.array(() if complete else TEMPERATURES),
            normaliser=np.array([[] if complete else sums for *_, sums in self._expanded.values()]),
            start=number[()],
            max_length=self.problem.max_length,
            eos=self.problem.eos,
            top=None if complete else self.top,
            source=self.problem.source,
        )

    def _step(self, tokens: Int[Tensor, "batch"], state: Written) -> tuple[Tensor, Written]:
        log_probs, model = self.problem.step(tokens, state.model)
        written = torch.cat([state.tokens, tokens.unsqueeze(1)], dim=1)
        prefixes = [tuple(row) for row in written[:, 1:].tolist()]
        new = [i for i, prefix in enumerate(prefixes) if prefix not in self._expanded]
        if new:
            self._vocabulary = log_probs.shape[1]
            values, ids = likeliest(log_probs[new], self.top)
            sums = torch.stack([(log_probs[new] / t).logsumexp(dim=-1) for t in TEMPERATURES], dim=1)
            for i, best, best_ids, sum_ in zip(
                new, values.tolist(), ids.tolist(), sums.tolist(), strict=True
            ):
                able = sorted((-v, token) for v, token in zip(best, best_ids, strict=True) if v > -torch.inf)
                self._expanded[prefixes[i]] = ([-v for v, _ in able], [token for _, token in able], sum_)
        return log_probs, Written(model, written)
