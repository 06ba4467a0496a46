"""A recurrent language model: after every token, a probability for each possible next one.

    h_t = layers(E[x_t], h_{t−1})      E[x_t] a row of a table, or the one-hot vector of x_t
    p(x_{t+1} | x_1 … x_t) = softmax(W h_t + b)
    loss = −(1/T) Σ_t ln p(x_{t+1} | x_1 … x_t)      nats a token

Tokens are characters or words. Tied: W is the table E (Press and Wolf 2017; Inan, Khosravi and Socher 2017).
The network is that of Mikolov et al. 2010 and, for characters, Sutskever, Martens and Hinton 2011.
"""

import torch
from jaxtyping import Float, Int
from torch import Tensor, nn
from torch.nn import functional

from course_lib.recurrent.gru import GRU, PaperGRU
from course_lib.recurrent.layer import RecurrentLayer, State
from course_lib.recurrent.lstm import LSTM
from course_lib.recurrent.lstm_variants import CoupledLSTM, PeepholeLSTM
from course_lib.recurrent.multiplicative import MultiplicativeRNN
from course_lib.recurrent.rnn import RNN
from course_lib.recurrent.stacked import Stacked
from course_lib.recurrent.truncated import chunks, streams

KINDS: dict[str, type[RecurrentLayer]] = {
    "rnn": RNN,
    "lstm": LSTM,
    "peephole": PeepholeLSTM,
    "coupled": CoupledLSTM,
    "gru": GRU,
    "paper-gru": PaperGRU,
    "multiplicative": MultiplicativeRNN,
}


class LanguageModel(nn.Module):
    """Embedding, recurrent layers, softmax.

    Args:
        vocabulary_size: number of tokens.
        hidden_size: features of a state.
        kind: one of `KINDS`.
        embedding_size: features of a token; None reads one-hot vectors.
        layers: how many.
        dropout: share of the features between two layers, and below the softmax, that training hides.
        tied: score with the table that embeds.

    Raises:
        ValueError: no such kind; or tied, and a row of the table has not the size of a state.
    """

    def __init__(
        self,
        vocabulary_size: int,
        hidden_size: int,
        kind: str = "lstm",
        embedding_size: int | None = None,
        layers: int = 1,
        dropout: float = 0.0,
        tied: bool = False,
    ) -> None:
        super().__init__()
        if kind not in KINDS:
            raise ValueError(f"kind is {kind!r}; allowed are {', '.join(map(repr, KINDS))}")
        if tied and embedding_size != hidden_size:
            raise ValueError(f"embedding_size is {embedding_size}; tied allows {hidden_size}, as a state has")
        self.vocabulary_size = vocabulary_size
        self.embedding = nn.Embedding(vocabulary_size, embedding_size) if embedding_size else None
        self.layers = Stacked(
            KINDS[kind], embedding_size or vocabulary_size, hidden_size, layers, dropout=dropout
        )
        self.dropout = nn.Dropout(dropout)
        self.head = nn.Linear(hidden_size, vocabulary_size)
        if tied and self.embedding is not None:
            nn.init.normal_(self.embedding.weight, std=hidden_size**-0.5)  # else the first scores are huge
            self.head.weight = self.embedding.weight

    def embed(self, tokens: Int[Tensor, "batch time"]) -> Float[Tensor, "batch time features"]:
        """Return what the layers read: rows of the table, or one-hot vectors."""
        if self.embedding is not None:
            return self.embedding(tokens)
        return functional.one_hot(tokens, self.vocabulary_size).to(self.head.weight.dtype)

    def zero_state(self, batch: int) -> State:
        """Return the state of a model that has read nothing."""
        return self.layers.zero_state(batch)

    def forward(
        self, tokens: Int[Tensor, "batch time"], state: State | None = None
    ) -> tuple[Float[Tensor, "batch time vocabulary"], State]:
        """Read tokens.

        Args:
            tokens: x_1 … x_T.
            state: what earlier tokens left; None is zeros.

        Returns:
            the logits of each next token, and the state to go on from.
        """
        outputs, state = self.layers(self.embed(tokens), state)
        return self.head(self.dropout(outputs)), state

    @torch.no_grad()
    def read(self, tokens: Int[Tensor, "batch given"]) -> tuple[Int[Tensor, "batch"], State]:
        """Return where a search or a sampler goes on from: the last tokens, and the state before them.

        Args:
            tokens: the beginning of each text, one token or more.

        Raises:
            ValueError: the beginning is empty.
        """
        if tokens.shape[1] < 1:
            raise ValueError("tokens are 0; allowed is 1 or more: the model needs something to go on from")
        before = self(tokens[:, :-1])[1] if tokens.shape[1] > 1 else self.zero_state(len(tokens))
        return tokens[:, -1], _swapped(before)

    @torch.no_grad()
    def next_token(
        self, tokens: Int[Tensor, "batch"], state: State
    ) -> tuple[Float[Tensor, "batch vocabulary"], State]:
        """Return the log-probabilities of the next token, and the state after the given one.

        This is what every search and sampler takes (see `course_lib.decoding.state`).

        Args:
            tokens: the last token of each text.
            state: before it, (batch, layers, hidden) in each part; see `read`.
        """
        logits, state = self(tokens.unsqueeze(1), _swapped(state))
        return logits[:, -1].log_softmax(dim=-1), _swapped(state)

    def loss(
        self,
        inputs: Int[Tensor, "batch time"],
        targets: Int[Tensor, "batch time"],
        state: State | None = None,
    ) -> tuple[Float[Tensor, ""], State]:
        """Return the loss in nats a token, and the state to go on from; see `truncated_losses`."""
        logits, state = self(inputs, state)
        return functional.cross_entropy(logits.flatten(0, 1), targets.flatten()), state


def _swapped(state: State) -> State:
    """Exchange the first two axes of a state: layers keep (layers, batch), searches want the batch first."""
    return tuple(part.transpose(0, 1).contiguous() for part in state)


@torch.no_grad()
def nats(model: LanguageModel, tokens: Int[Tensor, "length"], parallel: int = 1, chunk: int = 500) -> float:
    """Return the loss of a text in nats a token, the state carried from its first token to its last.

    Args:
        model: in eval mode.
        tokens: the text, 2 or more.
        parallel: pieces of equal length that are read side by side, each from a state of zeros. More is
            faster, and a little worse for the model.
        chunk: tokens read at a time; it does not change the result.

    Raises:
        ValueError: the text is too short for its pieces.
    """
    pieces = streams(tokens, parallel)
    state = model.zero_state(parallel)
    total, count = 0.0, 0
    for inputs, targets in chunks(pieces, chunk):
        loss, state = model.loss(inputs, targets, state)
        total += loss.item() * targets.numel()
        count += targets.numel()
    return total / count
