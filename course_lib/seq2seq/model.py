"""Encoder, decoder and the table of word vectors that they share."""

from collections.abc import Callable

import torch
from jaxtyping import Float, Int
from torch import Tensor, nn

from course_lib.attention import ConcatAttention, DotAttention, GeneralAttention
from course_lib.seq2seq.decoders import BahdanauDecoder, ChoDecoder, DecoderState, LuongDecoder, Step
from course_lib.seq2seq.encoder import BidirectionalEncoder

Decoder = ChoDecoder | BahdanauDecoder | LuongDecoder
DECODERS: dict[str, Callable[[int, int], Decoder]] = {
    "cho": ChoDecoder,
    "bahdanau": BahdanauDecoder,
    "luong_dot": lambda e, h: LuongDecoder(e, h, DotAttention(scale=h**-0.5)),
    "luong_general": lambda e, h: LuongDecoder(e, h, GeneralAttention(h, h, scale=h**-0.5)),
    "luong_concat": lambda e, h: LuongDecoder(e, h, ConcatAttention(h, h, h)),
}


class EncoderDecoder(nn.Module):
    """Translate token ids to token ids.

    One table embeds source and target tokens and, transposed, scores the next token
    (Press and Wolf 2017): the two languages share one vocabulary.

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
        super().__init__()
        if decoder not in DECODERS:
            raise ValueError(f"decoder is {decoder!r}; allowed are {', '.join(map(repr, DECODERS))}")
        self.config = {
            "decoder": decoder,
            "vocabulary_size": vocabulary_size,
            "embedding_size": embedding_size,
            "hidden_size": hidden_size,
        }
        self.pad_id = pad_id
        self.embedding = nn.Embedding(vocabulary_size, embedding_size, padding_idx=pad_id)
        self.encoder = BidirectionalEncoder(embedding_size, hidden_size)
        self.decoder: Decoder = DECODERS[decoder](embedding_size, hidden_size)
        self.bias = nn.Parameter(torch.zeros(vocabulary_size))
        self.dropout = nn.Dropout(dropout)
        with torch.no_grad():
            self.embedding.weight.mul_(embedding_size**-0.5)  # logits of size 1 at the start

    def embed(self, tokens: Int[Tensor, "*batch"]) -> Float[Tensor, "*batch embedding"]:
        """Look up word vectors, scaled to features of size 1."""
        return self.dropout(self.embedding(tokens) * self.embedding.embedding_dim**0.5)

    def logits(self, evidence: Float[Tensor, "*batch evidence"]) -> Float[Tensor, "*batch vocabulary"]:
        """Score every token as the next one."""
        features = self.dropout(self.decoder.readout(evidence))
        return nn.functional.linear(features, self.embedding.weight, self.bias)

    def start(self, source: Int[Tensor, "batch source"]) -> DecoderState:
        """Read source tokens (padding after the last one); return the state before the first target token."""
        lengths = (source != self.pad_id).sum(dim=1)
        return self.decoder.start(self.encoder(self.embed(source), lengths))

    def step(self, tokens: Int[Tensor, "batch"], state: DecoderState) -> Step:
        """Take the previous target token of each sentence."""
        return self.decoder(self.embed(tokens), state)

    def forward(
        self, source: Int[Tensor, "batch source"], target: Int[Tensor, "batch target"]
    ) -> tuple[Float[Tensor, "batch target vocabulary"], Float[Tensor, "batch target source"] | None]:
        """Predict each next token from the true ones before it (teacher forcing).

        Args:
            source: source tokens, padding after the last one.
            target: target tokens, from the begin-of-sentence token on.

        Returns:
            logits of the token after each target token, and the attention weights
            (None without attention).
        """
        state = self.start(source)
        evidence, weights = [], []
        for embedded in self.embed(target).unbind(dim=1):
            step = self.decoder(embedded, state)
            state = step.state
            evidence.append(step.evidence)
            weights.append(step.weights)
        attention = None if weights[0] is None else torch.stack(weights, dim=1)
        return self.logits(torch.stack(evidence, dim=1)), attention
