"""Next-token models small enough to check by hand, for the decoding exercises."""

from collections.abc import Iterator
from itertools import product
from typing import Any

import torch
from torch import Tensor

from course_lib.checks.core import CheckError


class TableModel:
    """A model of the next token that is nothing but a table.

        p(y_t | y_{t-2}, y_{t-1}) = table[y_{t-2}, y_{t-1}, y_t]

    Its state remembers y_{t-2}, and which sentence of the batch it belongs to. So a search that mixes up its
    states gets wrong probabilities, as it would with a real decoder.

    Args:
        tables: probabilities. (vocabulary, vocabulary): by the previous token only; (vocabulary, vocabulary,
            vocabulary): by the previous two; a list of such: one for each sentence of a batch.
        bos: the token before the first.
    """

    def __init__(self, tables: Any, bos: int) -> None:
        whole = [
            torch.as_tensor(t, dtype=torch.float64)
            for t in (tables if isinstance(tables, list) else [tables])
        ]
        size = whole[0].shape[-1]
        self.tables = torch.stack([t.expand(size, size, size) for t in whole])
        self.bos = bos

    def start(self) -> tuple[Tensor, Tensor]:
        """Return the state before the first token: (sentence, y_{t-2}), each (batch,)."""
        sentences = torch.arange(len(self.tables))
        return sentences, torch.full_like(sentences, self.bos)

    def step(self, tokens: Tensor, state: tuple[Tensor, Tensor]) -> tuple[Tensor, tuple[Tensor, Tensor]]:
        """Take the previous token of each row.

        Args:
            tokens: y_{t-1}, (rows,) int64.
            state: as the last step returned it, for the same rows.

        Returns:
            log p(y_t | …), (rows, vocabulary), and the new state.

        Raises:
            CheckError: tokens and state do not fit.
        """
        sentences, before = state
        if type(tokens) is not Tensor or tokens.dtype != torch.int64 or tokens.ndim != 1:
            raise CheckError("step(tokens, state): tokens should be an int64 tensor of shape (rows,).")
        if len(tokens) != len(sentences):
            raise CheckError(
                f"step(tokens, state): {len(tokens)} tokens, but a state of {len(sentences)} rows. "
                "Select the rows of the state as you select the hypotheses."
            )
        return self.tables[sentences, before, tokens].log(), (sentences, tokens.clone())

    def all_hypotheses(self, eos: int, max_length: int) -> Iterator[tuple[list[int], float]]:
        """Yield every finished hypothesis of the first sentence with its log p, one after the other."""
        others = [token for token in range(self.tables.shape[-1]) if token != eos]
        for length in range(max_length):
            for prefix in product(others, repeat=length):
                path = [self.bos, self.bos, *prefix, eos]
                steps = zip(path, path[1:], path[2:], strict=False)
                probability = torch.stack([self.tables[0, a, b, c] for a, b, c in steps])
                if (probability > 0).all():
                    yield path[2:], float(probability.log().sum())
