"""The encoder: read the source in both directions, keep one state for each position."""

from typing import Any, NamedTuple

import torch
from jaxtyping import Bool, Float, Int
from torch import Tensor, nn
from torch.nn.utils.rnn import pack_padded_sequence, pad_packed_sequence

from course_lib.attention import has_numbers, keep_lengths


class Encoded(NamedTuple):
    """What the encoder hands to a decoder."""

    states: Float[Tensor, "batch source hidden"]  # h_1 … h_S, the annotations
    summary: Float[Tensor, "batch hidden"]  # last state of each direction: the whole sentence in one vector
    keep: Bool[Tensor, "batch source"] | None  # False at padding; None where there is none

    def lengths(self) -> Int[Tensor, "batch"]:
        """Return how many of each one's states are no padding."""
        if self.keep is None:
            batch, size, _ = self.states.shape
            return torch.full((batch,), size, device=self.states.device)
        return self.keep.sum(dim=1)


def read_padded(
    layer: nn.RNNBase, embedded: Float[Tensor, "batch source embedding"], lengths: Int[Tensor, "batch"]
) -> tuple[Tensor, Any]:
    """Let one of torch's recurrent layers read each sentence up to its end.

    Returns:
        the states (batch, source, hidden), 0 behind the end, and what the layer gives as its last state.
    """
    if lengths.is_meta or not len(lengths):  # nothing to count
        return layer(embedded)
    packed = pack_padded_sequence(embedded, lengths.cpu(), batch_first=True, enforce_sorted=False)
    outputs, last = layer(packed)
    states, _ = pad_packed_sequence(outputs, batch_first=True, total_length=embedded.shape[1])
    return states, last


class BidirectionalEncoder(nn.Module):
    """A GRU from the left and one from the right (Bahdanau et al. 2015, section 3.2).

        h_j = [h→_j ; h←_j]       summary = [h→_S ; h←_1]

    Args:
        embedding_size: features of an embedded token.
        hidden_size: features of a state, both directions together; even.

    Raises:
        ValueError: `hidden_size` is odd.
    """

    def __init__(self, embedding_size: int, hidden_size: int) -> None:
        super().__init__()
        if hidden_size % 2:
            raise ValueError(
                f"hidden_size is {hidden_size}; allowed are even numbers, half for each direction"
            )
        self.rnn = nn.GRU(embedding_size, hidden_size // 2, batch_first=True, bidirectional=True)

    def forward(
        self, embedded: Float[Tensor, "batch source embedding"], lengths: Int[Tensor, "batch"]
    ) -> Encoded:
        """Read embedded sentences; padding after `lengths` tokens is not read.

        Raises:
            ValueError: a sentence has no tokens.
        """
        if has_numbers(lengths) and (lengths < 1).any():
            raise ValueError(f"lengths are {lengths.tolist()}; every source needs at least one token")
        states, last = read_padded(self.rnn, embedded, lengths)
        keep = keep_lengths(lengths, embedded.shape[1])
        return Encoded(states, torch.cat([last[0], last[1]], dim=-1), keep)
