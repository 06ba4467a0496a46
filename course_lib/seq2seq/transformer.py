"""The Transformer (Vaswani et al. 2017)."""

from collections.abc import Iterable
from typing import NamedTuple, cast

import torch
from jaxtyping import Bool, Float, Int
from torch import Tensor, nn

from course_lib.attention.masks import keep_lengths
from course_lib.attention.multihead import KeysAndValues, causal_mask
from course_lib.attention.position import PositionalEncoding
from course_lib.seq2seq.decoders import Step
from course_lib.seq2seq.model import Seq2Seq
from course_lib.seq2seq.transformer_layers import DecoderLayer, DecoderStep, EncoderLayer


class TransformerState(NamedTuple):
    """What the decoder needs of the source and of its own past; batch first."""

    source: tuple[KeysAndValues, ...]  # of each layer
    keep: Bool[Tensor, "batch 1 1 source"]
    past: tuple[KeysAndValues | None, ...]  # of each layer; grows by one position a step


class AttentionMaps(NamedTuple):
    """Where every head of every layer looks, for one batch of sentence pairs."""

    encoder: Float[Tensor, "batch layers heads source source"]
    decoder: Float[Tensor, "batch layers heads target target"]
    cross: Float[Tensor, "batch layers heads target source"]


class Transformer(Seq2Seq):
    """Attention in place of recurrence: in the encoder, in the decoder, and between them.

    Args:
        vocabulary_size: number of tokens, both languages together.
        model_size: features of a position, and of an embedded token; even.
        heads: attentions side by side; divides `model_size`.
        layers: in the encoder and in the decoder.
        feed_forward_size: width inside the feed-forward networks.
        pad_id: the token that fills short sentences.
        dropout: share of features that training drops.
        norm: "pre" or "post", see `transformer_layers`.
        positions: "sinusoidal", "learned" or "none".
    """

    def __init__(
        self,
        vocabulary_size: int,
        model_size: int,
        heads: int,
        layers: int,
        feed_forward_size: int,
        pad_id: int = 0,
        dropout: float = 0.0,
        norm: str = "pre",
        positions: str = "sinusoidal",
    ) -> None:
        super().__init__(vocabulary_size, model_size, pad_id, dropout)
        self.config = {
            "family": "transformer",
            "vocabulary_size": vocabulary_size,
            "model_size": model_size,
            "heads": heads,
            "layers": layers,
            "feed_forward_size": feed_forward_size,
            "norm": norm,
            "positions": positions,
        }
        sizes = (model_size, heads, feed_forward_size, dropout, norm)
        self.positions = PositionalEncoding(model_size, positions)
        self.encoder = nn.ModuleList(EncoderLayer(*sizes) for _ in range(layers))
        self.decoder = nn.ModuleList(DecoderLayer(*sizes) for _ in range(layers))
        # A post-norm layer ends in a norm; a pre-norm stack needs one at its end.
        self.encoder_norm = nn.LayerNorm(model_size) if norm == "pre" else nn.Identity()
        self.decoder_norm = nn.LayerNorm(model_size) if norm == "pre" else nn.Identity()
        for parameter in [*self.encoder.parameters(), *self.decoder.parameters()]:
            if parameter.dim() > 1:
                nn.init.xavier_uniform_(parameter)

    def encode(
        self, source: Int[Tensor, "batch source"]
    ) -> tuple[
        Float[Tensor, "batch source model"],
        Bool[Tensor, "batch 1 1 source"],
        Float[Tensor, "batch layers heads source source"],
    ]:
        """Read source tokens; return their states, the mask of padding, and where each head looked."""
        keep = keep_lengths(self.lengths(source), source.shape[1])[:, None, None]
        x = self.positions(self.embed(source))
        looked = []
        for layer in self.encoder:
            x, weights = layer(x, keep)
            looked.append(weights)
        return self.encoder_norm(x), keep, torch.stack(looked, dim=1)

    def _state(self, encoded: Tensor, keep: Tensor) -> TransformerState:
        layers = cast(Iterable[DecoderLayer], self.decoder)
        source = tuple(layer.project(encoded) for layer in layers)
        return TransformerState(source, keep, (None,) * len(self.decoder))

    def write(
        self, tokens: Int[Tensor, "batch target"], state: TransformerState
    ) -> tuple[Float[Tensor, "batch target model"], list[DecoderStep]]:
        """Take any number of target tokens at once; return their last states, and what each layer gave."""
        written = 0 if state.past[0] is None else state.past[0].keys.shape[2]
        x = self.positions(self.embed(tokens), start=written)
        keep = causal_mask(written + tokens.shape[1], tokens.device)[written:]
        steps = []
        for layer, source, past in zip(self.decoder, state.source, state.past, strict=True):
            steps.append(layer(x, source, state.keep, keep, past))
            x = steps[-1].x
        return self.decoder_norm(x), steps

    def start(self, source: Int[Tensor, "batch source"]) -> TransformerState:
        """Read source tokens (padding after the last one); return the state before the first target token."""
        encoded, keep, _ = self.encode(source)
        return self._state(encoded, keep)

    def step(self, tokens: Int[Tensor, "batch"], state: TransformerState) -> Step:
        """Take the previous target token of each sentence; keys and values of earlier ones are at hand."""
        x, steps = self.write(tokens.unsqueeze(1), state)
        weights = torch.stack([step.cross_weights[:, :, 0] for step in steps], dim=1)
        return Step(x[:, 0], state._replace(past=tuple(step.past for step in steps)), weights)

    def forward(
        self, source: Int[Tensor, "batch source"], target: Int[Tensor, "batch target"]
    ) -> tuple[Float[Tensor, "batch target vocabulary"], Float[Tensor, "batch layers heads target source"]]:
        """Predict each next token from the true ones before it; see `Seq2Seq.forward`."""
        x, steps = self.write(target, self.start(source))
        return self.logits(x), torch.stack([step.cross_weights for step in steps], dim=1)

    def attention(
        self, source: Int[Tensor, "batch source"], target: Int[Tensor, "batch target"]
    ) -> AttentionMaps:
        """Return where all heads look while the true target is written."""
        encoded, keep, encoder = self.encode(source)
        _, steps = self.write(target, self._state(encoded, keep))
        return AttentionMaps(
            encoder,
            torch.stack([step.self_weights for step in steps], dim=1),
            torch.stack([step.cross_weights for step in steps], dim=1),
        )
