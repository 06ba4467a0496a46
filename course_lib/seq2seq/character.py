"""A decoder that writes characters (Chung, Cho and Bengio 2016, sections 3 and 4).

The source is read in pieces, as by every other translator; the target is written character by character. So
no word is out of reach and none is cut in pieces, but a sentence takes several times as many steps. This is
the paper's base decoder, two GRUs on top of each other, joined to the source by one attention:

    c_i  = attention(s¹_{i-1}, h_1 … h_S)
    s¹_i = GRU(s¹_{i-1}, [y_{i-1}; c_i])
    s²_i = GRU(s²_{i-1}, [s¹_i; c_i])

In the authors' code the upper layer asks the attention; here the lower one does, as in GNMT: then the upper
layer can take a whole sentence at once, and a step costs less. Their other decoder, the bi-scale one, adds
gates that let the upper layer change only where the lower one has finished a part, such as a word.
"""

from typing import NamedTuple

import torch
from jaxtyping import Float, Int
from torch import Tensor, nn

from course_lib.attention import AdditiveAttention
from course_lib.seq2seq.decoders import Step
from course_lib.seq2seq.encoder import BidirectionalEncoder, Encoded
from course_lib.seq2seq.model import Seq2Seq
from course_lib.text import BytePairEncoding


def characters(encoding: BytePairEncoding) -> BytePairEncoding:
    """Return the encoding of the same alphabet that joins nothing: each character is one token.

    A space is "▁"; a character outside the alphabet is spelled as its UTF-8 bytes.
    """
    return BytePairEncoding(encoding.alphabet, ())


class CharacterState(NamedTuple):
    """Both layers' states, and the source; batch first."""

    lower: Float[Tensor, "batch hidden"]
    upper: Float[Tensor, "batch hidden"]
    source: Encoded
    projected: Float[Tensor, "batch source hidden"]


class CharacterDecoder(Seq2Seq):
    """Read pieces with a bidirectional GRU, write characters with two GRUs and one attention.

    Source and target have a vocabulary each: the table that embeds characters also scores them.

    Args:
        source_vocabulary_size: number of source pieces.
        vocabulary_size: number of target tokens: characters, bytes and specials.
        source_embedding_size: features of an embedded source piece.
        embedding_size: features of an embedded character.
        hidden_size: features of a decoder state, and of an encoder state (half for each direction); even.
        pad_id: the token that fills short sentences, in both vocabularies.
        dropout: share of embedded and output features that training drops.

    Raises:
        ValueError: `hidden_size` is odd.
    """

    def __init__(
        self,
        source_vocabulary_size: int,
        vocabulary_size: int,
        source_embedding_size: int,
        embedding_size: int,
        hidden_size: int,
        pad_id: int = 0,
        dropout: float = 0.0,
    ) -> None:
        super().__init__(vocabulary_size, embedding_size, pad_id, dropout)
        self.config = {
            "family": "character",
            "source_vocabulary_size": source_vocabulary_size,
            "vocabulary_size": vocabulary_size,
            "source_embedding_size": source_embedding_size,
            "embedding_size": embedding_size,
            "hidden_size": hidden_size,
        }
        self.pieces = nn.Embedding(source_vocabulary_size, source_embedding_size, padding_idx=pad_id)
        self.encoder = BidirectionalEncoder(source_embedding_size, hidden_size)
        self.first = nn.Linear(hidden_size, 2 * hidden_size)
        self.attention = AdditiveAttention(hidden_size, hidden_size, hidden_size)
        self.lower = nn.GRUCell(embedding_size + hidden_size, hidden_size)
        self.upper = nn.GRU(hidden_size + hidden_size, hidden_size, batch_first=True)
        self.to_embedding = nn.Linear(hidden_size + embedding_size + hidden_size, embedding_size)

    def readout(self, evidence: Tensor) -> Tensor:
        """Map upper state, previous character and context to the size of a character's vector."""
        return torch.tanh(self.to_embedding(evidence))

    def start(self, source: Int[Tensor, "batch source"]) -> CharacterState:
        """Read source pieces (padding after the last one); return the state before the first character."""
        encoded = self.encoder(self.dropout(self.pieces(source)), self.lengths(source))
        lower, upper = torch.tanh(self.first(encoded.summary)).chunk(2, dim=-1)
        return CharacterState(lower, upper, encoded, self.attention.project(encoded.states))

    def _write(
        self, embedded: Float[Tensor, "batch target embedding"], state: CharacterState
    ) -> tuple[Float[Tensor, "batch target evidence"], CharacterState, Float[Tensor, "batch target source"]]:
        source, h = state.source, state.lower
        out, contexts, weights = [], [], []
        for character in embedded.unbind(dim=1):
            context, looked = self.attention(h, source.states, source.keep, state.projected)
            h = self.lower(torch.cat([character, context], dim=-1), h)
            out.append(h)
            contexts.append(context)
            weights.append(looked)
        context = torch.stack(contexts, dim=1)
        upper, last = self.upper(torch.cat([torch.stack(out, dim=1), context], -1), state.upper.unsqueeze(0))
        state = state._replace(lower=h, upper=last.squeeze(0))
        return torch.cat([upper, embedded, context], dim=-1), state, torch.stack(weights, dim=1)

    def step(self, tokens: Int[Tensor, "batch"], state: CharacterState) -> Step:
        """Take the previous character of each sentence."""
        evidence, state, weights = self._write(self.embed(tokens).unsqueeze(1), state)
        return Step(evidence.squeeze(1), state, weights.squeeze(1))

    def forward(
        self, source: Int[Tensor, "batch source"], target: Int[Tensor, "batch target"]
    ) -> tuple[Float[Tensor, "batch target vocabulary"], Float[Tensor, "batch target source"]]:
        """Predict each next character from the true ones before it; see `Seq2Seq.forward`."""
        evidence, _, weights = self._write(self.embed(target), self.start(source))
        return self.logits(evidence), weights
