"""The speller: it listens to spoken digits and writes them, letter by letter."""

from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np
import torch
from jaxtyping import Float, Int
from torch import Tensor, nn

from course_lib.applications.writing import Written, write
from course_lib.attention import keep_lengths
from course_lib.data.batches import Batch, pad
from course_lib.data.special import BEGIN, END, PAD, SPECIAL
from course_lib.data.spoken_digits import SAMPLE_RATE, WORDS, SpokenDigit
from course_lib.seq2seq.decoders import DecoderState
from course_lib.seq2seq.encoder import BidirectionalEncoder, Encoded, read_padded
from course_lib.seq2seq.model import EncoderDecoder

LETTERS = (*SPECIAL, *sorted(set("".join(WORDS))))
WINDOW, HOP, BANDS = 256, 80, 40  # samples: windows of 32 ms, one every 10 ms; frequency bands


def log_spectrogram(wave: np.ndarray) -> Float[Tensor, "frames bands"]:
    """Return log energies in frequency bands, one frame every 10 ms, each clip brought to mean 0, spread 1.

    Bands are equally wide on the mel scale, m = 2595 log10(1 + f / 700), and overlap as triangles.

    Args:
        wave: (samples,) at 8,000 a second, at least one window long.

    Raises:
        ValueError: the clip is shorter than one window.
    """
    if len(wave) < WINDOW:
        raise ValueError(f"wave has {len(wave)} samples; at least {WINDOW} are needed")
    spectrum = torch.stft(
        torch.from_numpy(np.array(wave)),
        WINDOW,
        HOP,
        window=torch.hann_window(WINDOW),
        center=False,
        return_complex=True,
    )
    energies = torch.log(_mel_filters() @ spectrum.abs() ** 2 + 1e-10).T
    return (energies - energies.mean()) / energies.std()


def _mel_filters() -> Float[Tensor, "bands bins"]:
    """Return the triangles that sum a power spectrum into bands."""
    top = 2595 * np.log10(1 + SAMPLE_RATE / 2 / 700)
    corners = torch.tensor(700 * (10 ** (np.linspace(0, top, BANDS + 2) / 2595) - 1), dtype=torch.float32)
    bins = torch.linspace(0, SAMPLE_RATE / 2, WINDOW // 2 + 1)
    low, peak, high = (corners[i : BANDS + i, None] for i in range(3))
    return torch.minimum((bins - low) / (peak - low), (high - bins) / (high - peak)).clamp(min=0)


class Heard(NamedTuple):
    """Sounds in a batch: frames, zeros after the last one, and how many there are."""

    frames: Float[Tensor, "batch frames bands"]
    lengths: Int[Tensor, "batch"]


class Ears(nn.Module):
    """The lower half of a listener: frames in, one state for every four of them out.

    A bidirectional GRU reads pairs of frames; the course's encoder reads pairs of its states.
    """

    dropout: nn.Dropout
    encoder: BidirectionalEncoder

    def grow_ears(self, embedding_size: int) -> None:
        """Make the lower GRU, and what leads from pairs of its states to the encoder."""
        self.listen = nn.GRU(2 * BANDS, embedding_size // 2, batch_first=True, bidirectional=True)
        self.narrow = nn.Linear(2 * embedding_size, embedding_size)

    def annotate(self, source: Heard) -> Encoded:
        """Listen; return the states."""
        lower_lengths = (source.lengths // 2).clamp(min=1)
        lower, _ = read_padded(self.listen, pairs(source.frames), lower_lengths)
        lengths = (lower_lengths // 2).clamp(min=1)
        upper = self.dropout(torch.tanh(self.narrow(pairs(lower))))
        upper = upper * keep_lengths(lengths, upper.shape[1]).unsqueeze(-1)
        return self.encoder(upper, lengths)


class Speller(Ears, EncoderDecoder):
    """Listen, attend and spell, in small (Chan et al. 2016, section 3): sound in, letters out.

    One state stands for four frames, so the decoder has four times fewer places to choose from.

    Args:
        vocabulary_size: number of letters and special tokens.
        embedding_size: features of a letter, and of a state of the lower GRU; even.
        hidden_size: features of a state.
        dropout: share of features that training drops.
        decoder: one of Bahdanau's, by its name in `DECODERS`.
    """

    def __init__(
        self,
        vocabulary_size: int,
        embedding_size: int,
        hidden_size: int,
        dropout: float = 0.0,
        decoder: str = "bahdanau",
    ) -> None:
        super().__init__(decoder, vocabulary_size, embedding_size, hidden_size, PAD, dropout)
        self.config = {
            "vocabulary_size": vocabulary_size,
            "embedding_size": embedding_size,
            "hidden_size": hidden_size,
            "decoder": decoder,
        }
        self.grow_ears(embedding_size)

    def start(self, source: Heard) -> DecoderState:  # type: ignore[override]  # sounds, not token ids
        """Listen; return the state before the first letter."""
        return self.decoder.start(self.annotate(source))

    def forward(  # type: ignore[override]  # sounds, not token ids
        self, source: Heard, target: Int[Tensor, "batch target"]
    ) -> tuple[Float[Tensor, "batch target vocabulary"], Float[Tensor, "batch target states"]]:
        """Predict each next letter from the true ones before it; see `Seq2Seq.forward`."""
        state = self.start(source)
        steps = []
        for letters in target.unbind(dim=1):
            steps.append(self.step(letters, state))
            state = steps[-1].state
        evidence = torch.stack([step.evidence for step in steps], dim=1)
        weights = torch.stack([step.weights for step in steps if step.weights is not None], dim=1)
        return self.logits(evidence), weights


def pairs(states: Float[Tensor, "batch time features"]) -> Float[Tensor, "batch half doubled"]:
    """Join each state with its neighbour; an odd last one is dropped."""
    batch, time, features = states.shape
    return states[:, : time // 2 * 2].reshape(batch, time // 2, 2 * features)


def spelled(word: str) -> list[int]:
    """Return <s>, the letters and </s> as ids."""
    return [BEGIN, *(LETTERS.index(letter) for letter in word), END]


def hear(sounds: Sequence[Float[Tensor, "_frames bands"]]) -> Heard:
    """Put sounds into one batch."""
    lengths = torch.tensor([len(sound) for sound in sounds])
    return Heard(nn.utils.rnn.pad_sequence(list(sounds), batch_first=True), lengths)


def sound_batches(
    clips: Sequence[tuple[Tensor, list[int]]], size: int, seed: int | None = None
) -> Iterator[Batch]:
    """Yield all clips, `size` at a time, shuffled by the seed; None keeps their order."""
    order = list(range(len(clips)))
    if seed is not None:
        order = torch.randperm(len(clips), generator=torch.Generator().manual_seed(seed)).tolist()
    for start in range(0, len(order), size):
        chosen = [clips[i] for i in order[start : start + size]]
        heard: Any = hear([sound for sound, _ in chosen])
        yield Batch(heard, pad([letters for _, letters in chosen], PAD))


def spell(
    model: EncoderDecoder, clips: Sequence[SpokenDigit], names: Sequence[str] = LETTERS
) -> list[Written]:
    """Let a speller listen to recordings and write them."""
    found: list[Written] = []
    for start in range(0, len(clips), 100):
        sounds = [log_spectrogram(clip.wave) for clip in clips[start : start + 100]]
        heard = Heard(*(part.to(model.bias.device) for part in hear(sounds)))
        found += write(model, heard, names)
    return found
