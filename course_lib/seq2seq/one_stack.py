"""A Transformer of one stack: decoder-only, as GPT is, or encoder-only, as BERT is.

    X⁰ = √d E[x] + positions      Xˡ = layer(Xˡ⁻¹, mask)      p(token at i) = softmax(E norm(Xᴸ)_i + b)

The layers are those of the Transformer's encoder; the mask makes the difference. With a causal one, position
i sees tokens 0 … i and says what comes next (Radford et al. 2018). Without, it sees both sides, and says
which token was hidden there (Devlin et al. 2019). Both papers learn the positions; here they are waves.
"""

import math

import torch
from jaxtyping import Float, Int
from torch import Tensor, nn
from torch.nn import functional

from course_lib.attention.multihead import causal_mask
from course_lib.attention.position import PositionalEncoding
from course_lib.seq2seq.transformer_layers import EncoderLayer


class OneStack(nn.Module):
    """Embedding, positions, layers of self-attention, softmax; one table embeds and scores.

    Args:
        vocabulary_size: number of tokens.
        model_size: features of a position, and of an embedded token; even.
        heads: attentions side by side; divides `model_size`.
        layers: how many.
        feed_forward_size: width inside the feed-forward networks.
        causal: position i sees 0 … i only.
        dropout: share of features that training drops.
        window: tokens that the model can read at once.
    """

    def __init__(
        self,
        vocabulary_size: int,
        model_size: int,
        heads: int,
        layers: int,
        feed_forward_size: int,
        causal: bool,
        dropout: float = 0.0,
        window: int = 128,
    ) -> None:
        super().__init__()
        self.causal, self.window = causal, window
        self.embedding = nn.Embedding(vocabulary_size, model_size)
        self.positions = PositionalEncoding(model_size, longest=window)
        self.layers = nn.ModuleList(
            EncoderLayer(model_size, heads, feed_forward_size, dropout) for _ in range(layers)
        )
        self.norm = nn.LayerNorm(model_size)
        self.bias = nn.Parameter(torch.zeros(vocabulary_size))
        self.dropout = nn.Dropout(dropout)
        nn.init.normal_(self.embedding.weight, std=model_size**-0.5)  # logits of size 1 at the start

    def forward(
        self, tokens: Int[Tensor, "batch length"]
    ) -> tuple[Float[Tensor, "batch length vocabulary"], Float[Tensor, "batch layers heads length length"]]:
        """Return the logits at each position, and where each head of each layer looked.

        Raises:
            ValueError: there are more tokens than the window holds.
        """
        keep = causal_mask(tokens.shape[1]) if self.causal else None
        x = self.dropout(self.positions(self.embedding(tokens) * math.sqrt(self.embedding.embedding_dim)))
        looked = []
        for layer in self.layers:
            x, weights = layer(x, keep)
            looked.append(weights)
        return functional.linear(self.norm(x), self.embedding.weight, self.bias), torch.stack(looked, dim=1)

    def next_token_loss(self, tokens: Int[Tensor, "batch length"]) -> Float[Tensor, ""]:
        """Return −ln p of each token after the first, given all before it: nats a token, the mean.

        Raises:
            ValueError: the model is not causal, and would see what it is asked for.
        """
        self._check_causal()
        logits, _ = self(tokens[:, :-1])
        return functional.cross_entropy(logits.flatten(0, 1), tokens[:, 1:].flatten())

    def hidden_token_loss(
        self, tokens: Int[Tensor, "batch length"], hidden: Int[Tensor, "batch"], mask: int
    ) -> Float[Tensor, ""]:
        """Return −ln p of one hidden token of each sequence, given those on both sides: nats, the mean.

        Args:
            tokens: whole sequences.
            hidden: the position in each that is hidden.
            mask: the token that stands there instead.
        """
        row = torch.arange(len(tokens))
        seen = tokens.clone()
        seen[row, hidden] = mask
        return functional.cross_entropy(self(seen)[0][row, hidden], tokens[row, hidden])

    @torch.no_grad()
    def read(
        self, tokens: Int[Tensor, "batch given"]
    ) -> tuple[Int[Tensor, "batch"], Int[Tensor, "batch before"]]:
        """Return where a search or a sampler goes on from: the last tokens, and all before them.

        Args:
            tokens: the beginning of each text, one token or more.

        Raises:
            ValueError: the beginning is empty.
        """
        if tokens.shape[1] < 1:
            raise ValueError("tokens are 0; allowed is 1 or more: the model needs something to go on from")
        return tokens[:, -1], tokens[:, :-1]

    @torch.no_grad()
    def next_token(
        self, tokens: Int[Tensor, "batch"], state: Int[Tensor, "batch before"]
    ) -> tuple[Float[Tensor, "batch vocabulary"], Int[Tensor, "batch after"]]:
        """Return the log-probabilities of the next token, and the text so far as far as the window goes.

        Args:
            tokens: the last token of each text.
            state: the tokens before it.

        Raises:
            ValueError: the model is not causal, and was trained for something else.
        """
        self._check_causal()
        text = torch.cat([state, tokens.unsqueeze(1)], dim=1)[:, -self.window :]
        return self(text)[0][:, -1].log_softmax(dim=-1), text

    def _check_causal(self) -> None:
        if not self.causal:
            raise ValueError("causal is False; the next token needs True, or it could be seen")
