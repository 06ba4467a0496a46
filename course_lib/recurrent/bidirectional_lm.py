"""A language model that reads from both sides, and the vectors that it gives to words in their places.

    left to right    h→_t = LSTM(E[x_t], h→_{t−1})      p(x_{t+1} | x_1 … x_t) = softmax(W h→_t + b)
    right to left    h←_t = LSTM(E[x_t], h←_{t+1})      p(x_{t−1} | x_t … x_T) = softmax(W h←_t + b)

Both share the table E and the softmax, here tied (W = E); each has LSTMs of its own, and no layer of one
sees the other: it would see the token that it has to guess. The vector of x_t in its sentence is
[h→_t ; h←_t]. Both have read x_t; the first also all to its left, the second all to its right.

Peters et al. 2018 (ELMo), sections 3.1 and 3.2; here tokens are pieces of words, not convolved characters.
"""

from typing import NamedTuple

import torch
from jaxtyping import Float, Int
from torch import Tensor, nn
from torch.nn import functional

from course_lib.attention.masks import keep_lengths
from course_lib.recurrent.layer import check_lengths
from course_lib.recurrent.lstm import LSTM
from course_lib.recurrent.stacked import turned


class TwoSides(NamedTuple):
    """One number, or one row of numbers, from each direction."""

    forward: Tensor  # of the model that reads from left to right
    backward: Tensor  # of the model that reads from right to left


class BidirectionalLanguageModel(nn.Module):
    """Two stacks of LSTMs over one table: one guesses the next token, the other the one before.

    Args:
        vocabulary_size: number of tokens.
        size: features of a token and of a state, in each direction.
        layers: LSTMs in each direction, 1 or more.

    Raises:
        ValueError: there are no layers.
    """

    def __init__(self, vocabulary_size: int, size: int, layers: int = 2) -> None:
        super().__init__()
        if layers < 1:
            raise ValueError(f"layers is {layers}; allowed is 1 or more")
        self.embedding = nn.Embedding(vocabulary_size, size)
        nn.init.normal_(self.embedding.weight, std=size**-0.5)  # the first scores stay small
        self.bias = nn.Parameter(torch.zeros(vocabulary_size))
        self.rightwards = nn.ModuleList(LSTM(size, size) for _ in range(layers))
        self.leftwards = nn.ModuleList(LSTM(size, size) for _ in range(layers))

    def states(
        self, tokens: Int[Tensor, "batch time"], lengths: Int[Tensor, "batch"] | None = None
    ) -> TwoSides:
        """Return h→_t and h←_t of every layer, each (layers, batch, time, size), 0 behind a sentence's end.

        Args:
            tokens: x_1 … x_T.
            lengths: real tokens of each sentence, 1 to time; None means all.

        Raises:
            ValueError: a length is outside 1 to time, or there is not one for each sentence.
            TypeError: the lengths are no whole numbers.
        """
        right = left = self.embedding(tokens)
        rights, lefts = [], []
        for forward, backward in zip(self.rightwards, self.leftwards, strict=True):
            right, _ = forward(right, None, lengths)
            from_the_end, _ = backward(turned(left, lengths), None, lengths)
            left = turned(from_the_end, lengths)
            rights.append(right)
            lefts.append(left)
        return TwoSides(torch.stack(rights), torch.stack(lefts))

    def forward(
        self, tokens: Int[Tensor, "batch time"], lengths: Int[Tensor, "batch"] | None = None
    ) -> TwoSides:
        """Return logits, each (batch, time − 1, vocabulary).

        Args:
            tokens, lengths: see `states`.

        Returns:
            forward: guesses of x_2 … x_T, each from the tokens before it;
            backward: guesses of x_1 … x_{T−1}, each from the tokens behind it.
        """
        states = self.states(tokens, lengths)
        return TwoSides(self.score(states.forward[-1, :, :-1]), self.score(states.backward[-1, :, 1:]))

    def score(self, states: Float[Tensor, "*batch size"]) -> Float[Tensor, "*batch vocabulary"]:
        """Return the logits of a neighbour: one softmax serves both directions."""
        return functional.linear(states, self.embedding.weight, self.bias)

    def losses(
        self, tokens: Int[Tensor, "batch time"], lengths: Int[Tensor, "batch"] | None = None
    ) -> TwoSides:
        """Return the mean loss of each direction in nats a token; padding counts nowhere.

            −1/N Σ_t ln p(x_t | x_1 … x_{t−1})   and   −1/N Σ_t ln p(x_t | x_{t+1} … x_T)

        Training makes their sum small (Peters et al. 2018, section 3.1). N leaves out the first token of each
        sentence for the forward direction, the last one for the backward direction: marks of begin and end.

        Args:
            tokens, lengths: see `states`; every sentence has 2 tokens or more.

        Raises:
            ValueError: as `states`; or a sentence has 1 token, so that nothing is to be guessed.
        """
        batch, time = tokens.shape
        if lengths is None:
            lengths = tokens.new_full((batch,), time)
        check_lengths(lengths, batch, time)
        if lengths.min() < 2:
            raise ValueError(f"lengths are {lengths.tolist()}; allowed is 2 or more, a neighbour to guess")
        guesses = self(tokens, lengths)
        keep = keep_lengths(lengths - 1, time - 1)
        return TwoSides(
            functional.cross_entropy(guesses.forward[keep], tokens[:, 1:][keep]),
            functional.cross_entropy(guesses.backward[keep], tokens[:, :-1][keep]),
        )
