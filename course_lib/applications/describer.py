"""The describer: it watches a film and says what happens.

    v_i = tanh(A(frame i) + M(frames i−2 … i+2))       what is seen at frame i, and how it moves there
    α_t = softmax_i f_att(s_{t−1}, v_i)                which frames matter for the next word
    c_t = Σ_i α_ti v_i

A is a convolutional network that sees one frame at a time; M convolves over time as well and sees motion.
Without M no frame tells which way a thing goes. Without attention every word gets the same c, from the mean
of all v_i, and the mean does not tell who moved which way.

Yao et al. 2015, sections 3.1 and 3.2. There the convolutional networks were trained before, the 3-D one on
recognising actions; here all is trained at once, on the words alone.
"""

from pathlib import Path

import torch
from jaxtyping import Float, Int
from torch import Tensor, nn

from course_lib.checkpoints import FOLDER, load_model
from course_lib.data.described_films import SIDE, WORDS
from course_lib.data.special import PAD
from course_lib.seq2seq.decoders import DecoderState
from course_lib.seq2seq.encoder import Encoded
from course_lib.seq2seq.model import EncoderDecoder

SHIPPED = FOLDER / "films_both.safetensors"
CHANNELS = 8, 16


class Films(nn.Module):
    """Sees films frame by frame: two convolutions and a linear layer.

    Args:
        features: numbers for each frame.
        frames_at_once: that a filter spans; odd. 1 sees no motion.
    """

    def __init__(self, features: int, frames_at_once: int) -> None:
        super().__init__()
        size, stride, padding = (frames_at_once, 3, 3), (1, 2, 2), (frames_at_once // 2, 1, 1)
        self.convolutions = nn.Sequential(
            nn.Conv3d(1, CHANNELS[0], size, stride, padding),
            nn.ReLU(inplace=True),
            nn.Conv3d(CHANNELS[0], CHANNELS[1], size, stride, padding),
            nn.ReLU(inplace=True),
        )
        self.linear = nn.Linear(CHANNELS[1] * (SIDE // 4) ** 2, features)

    def forward(self, films: Float[Tensor, "films time 1 side side"]) -> Float[Tensor, "films time features"]:
        """Return what is seen at each frame."""
        maps = self.convolutions(films.transpose(1, 2))  # (films, channels, time, height, width)
        return self.linear(maps.transpose(1, 2).flatten(2))


class FilmDescriber(EncoderDecoder):
    """Watches a film, then writes.

    Args:
        attention: look at the frames anew before each word; else every word gets their mean.
        motion: see with 3-D convolutions, too.
        embedding_size, hidden_size: of a word, of the decoder.
    """

    def __init__(
        self, attention: bool, motion: bool, embedding_size: int = 32, hidden_size: int = 64
    ) -> None:
        decoder = "bahdanau" if attention else "cho"
        super().__init__(decoder, len(WORDS), embedding_size, hidden_size, PAD)
        self.config = {"attention": attention, "motion": motion}
        self.encoder = None  # type: ignore[assignment]  # films are seen, not read
        self.appearance = Films(hidden_size, frames_at_once=1)
        self.motion = Films(hidden_size, frames_at_once=3) if motion else None

    def start(self, source: Tensor) -> DecoderState:  # type: ignore[override]  # films, not token ids
        """Watch films; return the state before the first word.

        Args:
            source: (films, time, 1, side, side) ink, 0 to 1.

        Raises:
            ValueError: films of another shape, or without frames.
        """
        if source.dim() != 5 or source.shape[1] < 1 or tuple(source.shape[2:]) != (1, SIDE, SIDE):
            raise ValueError(
                f"films have shape {tuple(source.shape)}; allowed is (films, time, 1, {SIDE}, {SIDE})"
            )
        seen = self.appearance(source)
        if self.motion is not None:
            seen = seen + self.motion(source)
        states = torch.tanh(seen)
        return self.decoder.start(Encoded(states, states.mean(dim=1), None))

    def forward(  # type: ignore[override]  # films, not token ids
        self, source: Tensor, target: Int[Tensor, "films words"]
    ) -> tuple[Float[Tensor, "films words vocabulary"], Float[Tensor, "films words time"] | None]:
        """Predict each next word from the true ones before it; see `Seq2Seq.forward`."""
        return self.follow(self.start(source), target)


def load_describer(path: Path = SHIPPED) -> FilmDescriber:
    """Load a trained describer.

    Args:
        path: the checkpoint; the one that ships with the course unless you have trained your own.

    Raises:
        CheckpointError: it is missing or damaged.
    """
    return load_model(path, lambda config: FilmDescriber(**config))[0]
