"""Convolutional sequence to sequence (Gehring et al. 2017).

A layer sees `kernel` neighbours and opens a gate on what it found (section 3.2):

    [a ; b] = conv(x)          x ← (x + a ⊙ σ(b)) · √½

Every decoder layer looks at the source for itself (section 3.3), and √½ keeps the variance of a sum:

    d_i = W h_i + g_i          α_ij = softmax_j(d_i · z_j)          c_i = √m Σ_j α_ij (z_j + e_j)
"""

import math
from typing import NamedTuple

import torch
from jaxtyping import Bool, Float, Int
from torch import Tensor, nn
from torch.nn import functional

from course_lib.attention.masks import keep_lengths, masked_softmax, weighted_sum
from course_lib.attention.position import PositionalEncoding
from course_lib.seq2seq.decoders import Step
from course_lib.seq2seq.model import Seq2Seq

HALF = math.sqrt(0.5)


class GatedConvolution(nn.Module):
    """Convolution over positions with a gated linear unit (Dauphin et al. 2017)."""

    def __init__(self, size: int, kernel: int, dropout: float) -> None:
        super().__init__()
        self.convolution = nn.Conv1d(size, 2 * size, kernel)
        # Half of the units' variance passes the gate (appendix C.1).
        nn.init.normal_(self.convolution.weight, std=math.sqrt(4 * (1 - dropout) / (kernel * size)))

    def forward(self, x: Float[Tensor, "batch wide size"]) -> Float[Tensor, "batch narrow size"]:
        """Return a ⊙ σ(b) wherever the kernel fits."""
        return functional.glu(self.convolution(x.transpose(1, 2)).transpose(1, 2), dim=-1)


class ConvSource(NamedTuple):
    """What the decoder's layers look at; batch first."""

    keys: Float[Tensor, "batch source size"]  # z, the last encoder layer
    values: Float[Tensor, "batch source size"]  # z + e, with the embedded words
    keep: Bool[Tensor, "batch source"]


class ConvState(NamedTuple):
    """The source, and the last inputs of every decoder layer, on which its next output rests; batch first."""

    source: ConvSource
    past: tuple[Float[Tensor, "batch kernel_less_one size"], ...]
    written: Int[Tensor, "batch written"]  # target tokens so far


class ConvDecoderLayer(nn.Module):
    """Gated convolution over the past, then attention over the source."""

    def __init__(self, size: int, kernel: int, dropout: float) -> None:
        super().__init__()
        self.convolution = GatedConvolution(size, kernel, dropout)
        self.dropout = nn.Dropout(dropout)
        self.query = nn.Linear(size, size)
        self.output = nn.Linear(size, size)

    def forward(
        self,
        x: Float[Tensor, "batch target size"],
        embedded: Float[Tensor, "batch target size"],
        source: ConvSource,
        past: Float[Tensor, "batch kernel_less_one size"],
    ) -> tuple[
        Float[Tensor, "batch target size"],
        Float[Tensor, "batch target source"],
        Float[Tensor, "batch kernel_less_one size"],
    ]:
        """Return the new target positions, where they looked, and the past for the next call."""
        wide = torch.cat([past, x], dim=1)
        hidden = self.convolution(self.dropout(wide))
        query = (self.query(hidden) + embedded) * HALF
        keep = source.keep.unsqueeze(1)
        weights = masked_softmax(query @ source.keys.transpose(1, 2), keep)
        length = keep.sum(dim=-1, keepdim=True).to(x.dtype)
        context = weighted_sum(weights, source.values, keep) * length.sqrt()
        hidden = (hidden + self.output(context)) * HALF
        return (hidden + x) * HALF, weights, wide[:, -past.shape[1] :]


class ConvS2S(Seq2Seq):
    """Convolutions in place of recurrence, attention in every decoder layer.

    Args:
        vocabulary_size: number of tokens, both languages together.
        size: features of a position, and of an embedded token.
        layers: in the encoder and in the decoder.
        kernel: positions that a convolution sees; odd, 3 or more.
        pad_id: the token that fills short sentences.
        dropout: share of features that training drops.

    Raises:
        ValueError: `kernel` is even or below 3.
    """

    def __init__(
        self,
        vocabulary_size: int,
        size: int,
        layers: int,
        kernel: int = 3,
        pad_id: int = 0,
        dropout: float = 0.0,
    ) -> None:
        if kernel < 3 or kernel % 2 == 0:
            raise ValueError(f"kernel is {kernel}; allowed are odd numbers from 3 on")
        super().__init__(vocabulary_size, size, pad_id, dropout)
        self.config = {
            "family": "convs2s",
            "vocabulary_size": vocabulary_size,
            "size": size,
            "layers": layers,
            "kernel": kernel,
        }
        self.kernel = kernel
        self.positions = PositionalEncoding(size, "learned")
        self.encoder = nn.ModuleList(GatedConvolution(size, kernel, dropout) for _ in range(layers))
        self.decoder = nn.ModuleList(ConvDecoderLayer(size, kernel, dropout) for _ in range(layers))

    def embed(self, tokens: Int[Tensor, "*batch"]) -> Float[Tensor, "*batch embedding"]:
        """Look up word vectors, as small as those of the positions (std 0.1, as in section 5).

        The attention's scores are sums of `size` products, divided by nothing: features of size 1 would
        give softmaxes that are as good as hard before anything is learned.
        """
        return self.dropout(self.embedding(tokens))

    def start(self, source: Int[Tensor, "batch source"]) -> ConvState:
        """Read source tokens (padding after the last one); return the state before the first target token."""
        keep = keep_lengths(self.lengths(source), source.shape[1])
        padding = ~keep.unsqueeze(-1)
        embedded = self.positions(self.embed(source))
        x, half = embedded.masked_fill(padding, 0), self.kernel // 2
        for layer in self.encoder:
            wide = functional.pad(self.dropout(x), (0, 0, half, half))
            x = ((x + layer(wide)) * HALF).masked_fill(padding, 0)  # it must not leak to its neighbours
        past = x.new_zeros(len(x), self.kernel - 1, x.shape[-1])
        return ConvState(
            ConvSource(x, (x + embedded) * HALF, keep),
            (past,) * len(self.decoder),
            source[:, :0],
        )

    def _write(
        self, tokens: Int[Tensor, "batch target"], state: ConvState
    ) -> tuple[Float[Tensor, "batch target size"], Float[Tensor, "batch layers target source"], ConvState]:
        embedded = self.positions(self.embed(tokens), start=state.written.shape[1])
        x, looked, pasts = embedded, [], []
        for layer, past in zip(self.decoder, state.past, strict=True):
            x, weights, now = layer(x, embedded, state.source, past)
            looked.append(weights)
            pasts.append(now)
        state = state._replace(past=tuple(pasts), written=torch.cat([state.written, tokens], dim=1))
        return x, torch.stack(looked, dim=1), state

    def step(self, tokens: Int[Tensor, "batch"], state: ConvState) -> Step:
        """Take the previous target token of each sentence."""
        x, weights, state = self._write(tokens.unsqueeze(1), state)
        return Step(x[:, 0], state, weights)

    def forward(
        self, source: Int[Tensor, "batch source"], target: Int[Tensor, "batch target"]
    ) -> tuple[Float[Tensor, "batch target vocabulary"], Float[Tensor, "batch layers 1 target source"]]:
        """Predict each next token from the true ones before it; see `Seq2Seq.forward`."""
        x, weights, _ = self._write(target, self.start(source))
        return self.logits(x), weights.unsqueeze(2)
