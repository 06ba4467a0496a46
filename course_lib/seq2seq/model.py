"""What every translation model shares, and the recurrent encoder–decoder."""

from abc import ABC, abstractmethod
from collections.abc import Callable
from typing import Any

import torch
from jaxtyping import Float, Int
from torch import Tensor, nn

from course_lib.attention import ConcatAttention, DotAttention, GeneralAttention, has_numbers
from course_lib.seq2seq.bahdanau_variants import FixedLookDecoder, LocationAwareDecoder, WordAwareDecoder
from course_lib.seq2seq.decoders import BahdanauDecoder, ChoDecoder, DecoderState, LuongDecoder, Step
from course_lib.seq2seq.encoder import BidirectionalEncoder

Decoder = ChoDecoder | BahdanauDecoder | LuongDecoder
DECODERS: dict[str, Callable[[int, int], Decoder]] = {
    "cho": ChoDecoder,
    "bahdanau": BahdanauDecoder,
    "bahdanau_fixed": FixedLookDecoder,
    "bahdanau_word": WordAwareDecoder,
    "bahdanau_location": LocationAwareDecoder,
    "luong_dot": lambda e, h: LuongDecoder(e, h, DotAttention(scale=h**-0.5)),
    "luong_general": lambda e, h: LuongDecoder(e, h, GeneralAttention(h, h, scale=h**-0.5)),
    "luong_concat": lambda e, h: LuongDecoder(e, h, ConcatAttention(h, h, h)),
}


class Seq2Seq(nn.Module, ABC):
    """Translate token ids to token ids, one target token at a time.

    One table embeds source and target tokens and, transposed, scores the next token
    (Press and Wolf 2017): the two languages share one vocabulary.

    Args:
        vocabulary_size: number of tokens, both languages together.
        embedding_size: features of an embedded token.
        pad_id: the token that fills short sentences.
        dropout: share of embedded and output features that training drops.
    """

    config: dict[str, Any]  # what builds the same model again

    def __init__(self, vocabulary_size: int, embedding_size: int, pad_id: int, dropout: float) -> None:
        super().__init__()
        self.pad_id = pad_id
        self.embedding = nn.Embedding(vocabulary_size, embedding_size, padding_idx=pad_id)
        self.bias = nn.Parameter(torch.zeros(vocabulary_size))
        self.dropout = nn.Dropout(dropout)
        with torch.no_grad():
            self.embedding.weight.mul_(embedding_size**-0.5)  # logits of size 1 at the start

    def embed(self, tokens: Int[Tensor, "*batch"]) -> Float[Tensor, "*batch embedding"]:
        """Look up word vectors, scaled to features of size 1."""
        return self.dropout(self.embedding(tokens) * self.embedding.embedding_dim**0.5)

    def readout(self, evidence: Float[Tensor, "*batch evidence"]) -> Float[Tensor, "*batch embedding"]:
        """Turn the evidence for the next token into features, one for each feature of a word vector."""
        return evidence

    def logits(self, evidence: Float[Tensor, "*batch evidence"]) -> Float[Tensor, "*batch vocabulary"]:
        """Score every token as the next one."""
        features = self.dropout(self.readout(evidence))
        return nn.functional.linear(features, self.embedding.weight, self.bias)

    def lengths(self, source: Int[Tensor, "batch source"]) -> Int[Tensor, "batch"]:
        """Count the tokens of each source.

        Raises:
            ValueError: a source has no tokens.
        """
        lengths = (source != self.pad_id).sum(dim=1)
        if has_numbers(lengths) and (lengths < 1).any():
            raise ValueError(f"lengths are {lengths.tolist()}; every source needs at least one token")
        return lengths

    @abstractmethod
    def start(self, source: Int[Tensor, "batch source"]) -> Any:
        """Read source tokens (padding after the last one); return the state before the first target token."""

    @abstractmethod
    def step(self, tokens: Int[Tensor, "batch"], state: Any) -> Step:
        """Take the previous target token of each sentence."""

    def predict(
        self, tokens: Int[Tensor, "batch"], state: Any
    ) -> tuple[Float[Tensor, "batch vocabulary"], Any]:
        """Take the previous tokens; return log-probabilities of the next, and the state: for a search."""
        taken = self.step(tokens, state)
        return self.logits(taken.evidence).log_softmax(dim=-1), taken.state

    @abstractmethod
    def forward(
        self, source: Int[Tensor, "batch source"], target: Int[Tensor, "batch target"]
    ) -> tuple[
        Float[Tensor, "batch target vocabulary"], Float[Tensor, "batch *layers_heads target source"] | None
    ]:
        """Predict each next token from the true ones before it (teacher forcing).

        Args:
            source: source tokens, padding after the last one.
            target: target tokens, from the begin-of-sentence token on.

        Returns:
            logits of the token after each target token, and the attention weights: (batch, target, source)
            with one attention, (batch, layers, heads, target, source) with several, None without.
        """


class EncoderDecoder(Seq2Seq):
    """Read with a bidirectional GRU, write with one of the decoders.

    Args:
        decoder: a name in `DECODERS`.
        vocabulary_size: number of tokens, both languages together.
        embedding_size: features of an embedded token.
        hidden_size: features of a decoder state, and of an encoder state (half for each direction).
        pad_id: the token that fills short sentences.
        dropout: share of embedded and output features that training drops.

    Raises:
        ValueError: no such decoder.
    """

    def __init__(
        self,
        decoder: str,
        vocabulary_size: int,
        embedding_size: int,
        hidden_size: int,
        pad_id: int = 0,
        dropout: float = 0.0,
    ) -> None:
        if decoder not in DECODERS:
            raise ValueError(f"decoder is {decoder!r}; allowed are {', '.join(map(repr, DECODERS))}")
        super().__init__(vocabulary_size, embedding_size, pad_id, dropout)
        self.config = {
            "decoder": decoder,
            "vocabulary_size": vocabulary_size,
            "embedding_size": embedding_size,
            "hidden_size": hidden_size,
        }
        self.encoder = BidirectionalEncoder(embedding_size, hidden_size)
        self.decoder: Decoder = DECODERS[decoder](embedding_size, hidden_size)

    def readout(self, evidence: Tensor) -> Tensor:
        """Let the decoder turn its evidence into features."""
        return self.decoder.readout(evidence)

    def start(self, source: Int[Tensor, "batch source"]) -> DecoderState:
        """Read source tokens (padding after the last one); return the state before the first target token."""
        return self.decoder.start(self.encoder(self.embed(source), self.lengths(source)))

    def step(self, tokens: Int[Tensor, "batch"], state: DecoderState) -> Step:
        """Take the previous target token of each sentence."""
        return self.decoder(self.embed(tokens), state)

    def forward(
        self, source: Int[Tensor, "batch source"], target: Int[Tensor, "batch target"]
    ) -> tuple[Float[Tensor, "batch target vocabulary"], Float[Tensor, "batch target source"] | None]:
        """Predict each next token from the true ones before it; see `Seq2Seq.forward`."""
        return self.follow(self.start(source), target)

    def follow(
        self, state: DecoderState, target: Int[Tensor, "batch target"]
    ) -> tuple[Float[Tensor, "batch target vocabulary"], Float[Tensor, "batch target source"] | None]:
        """Predict each next token from the true ones before it, given the state before the first."""
        evidence, weights = [], []
        for embedded in self.embed(target).unbind(dim=1):
            step = self.decoder(embedded, state)
            state = step.state
            evidence.append(step.evidence)
            weights.append(step.weights)
        attention = None if weights[0] is None else torch.stack(weights, dim=1)
        return self.logits(torch.stack(evidence, dim=1)), attention
