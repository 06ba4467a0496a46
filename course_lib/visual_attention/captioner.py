"""A captioner: what sees the picture, what writes, and the words it writes with."""

from collections.abc import Sequence

import torch
from jaxtyping import Float, Int
from torch import Tensor, nn

from course_lib.data.special import BEGIN, END, PAD, SPECIAL
from course_lib.visual_attention.annotations import AnnotationEncoder
from course_lib.visual_attention.hard_decoder import HardAttentionDecoder
from course_lib.visual_attention.show_and_tell import ShowAndTellDecoder
from course_lib.visual_attention.soft_decoder import SoftAttentionDecoder
from course_lib.visual_attention.steps import CaptionRun, CaptionState, CaptionStep, Words

Decoder = ShowAndTellDecoder | SoftAttentionDecoder  # of which hard attention is a kind
ATTENTIONS = ("none", "soft", "hard")


def caption_decoder(
    attention: str, grid: int, features: int, embedding_size: int, hidden_size: int, attention_size: int
) -> Decoder:
    """Return a decoder before training.

    Args:
        attention: one of `ATTENTIONS`.
        grid, features: annotation vectors along a side, and numbers in each.
        embedding_size, hidden_size, attention_size: of a word, of the LSTM, of f_att.

    Raises:
        ValueError: no such attention.
    """
    if attention not in ATTENTIONS:
        raise ValueError(f"attention is {attention!r}; allowed are {', '.join(map(repr, ATTENTIONS))}")
    if attention == "none":
        return ShowAndTellDecoder(grid, features, embedding_size, hidden_size)
    kind = SoftAttentionDecoder if attention == "soft" else HardAttentionDecoder
    return kind(features, embedding_size, hidden_size, attention_size)


class Captioner(nn.Module):
    """Sees a picture and writes a caption, word by word.

    Args:
        encoder: from pixels to annotation vectors; `nn.Identity()` where these are computed beforehand.
        decoder: see `caption_decoder`.
        words: that it can write, without the special tokens; no word twice.
        embedding_size: as of the decoder.
    """

    def __init__(
        self, encoder: nn.Module, decoder: Decoder, words: Sequence[str], embedding_size: int
    ) -> None:
        super().__init__()
        self.words = (*SPECIAL, *words)
        self.ids = {word: i for i, word in enumerate(self.words)}
        self.encoder, self.decoder = encoder, decoder
        self.embedding = nn.Embedding(len(self.words), embedding_size, padding_idx=PAD)
        self.L_o = nn.Linear(embedding_size, len(self.words))

    def encode(self, captions: Sequence[str]) -> Words:
        """Return captions as numbers, from `BEGIN` to `END`, padding after the last; words end at spaces.

        Raises:
            ValueError: a caption is empty, or has a word that is not known.
        """
        rows = []
        for caption in captions:
            words = caption.split()
            strangers = [word for word in words if word not in self.ids]
            if strangers or not words:
                raise ValueError(f"caption {caption!r} is empty or has the unknown words {strangers}")
            rows.append(torch.tensor([BEGIN, *(self.ids[word] for word in words), END]))
        return nn.utils.rnn.pad_sequence(rows, batch_first=True, padding_value=PAD)

    def decode(self, tokens: Sequence[int]) -> str:
        """Return the words before `END`."""
        tokens = list(tokens)
        ended = tokens.index(END) if END in tokens else len(tokens)
        return " ".join(self.words[token] for token in tokens[:ended])

    def start(self, pictures: Tensor) -> CaptionState:
        """Return the state before the first word; pictures are what the encoder takes."""
        state: CaptionState = self.decoder.start(self.encoder(pictures))
        return state

    def look(
        self, tokens: Int[Tensor, "batch"], state: CaptionState
    ) -> tuple[Float[Tensor, "batch vocabulary"], CaptionStep]:
        """Take the last word further: the log-probabilities of the next, and the step."""
        embedded = self.embedding(tokens)
        step = self.decoder(embedded, state)
        evidence = self.decoder.evidence(embedded, step.state.hidden, step.context)
        return self.L_o(evidence).log_softmax(dim=-1), step

    def step(
        self, tokens: Int[Tensor, "batch"], state: CaptionState
    ) -> tuple[Float[Tensor, "batch vocabulary"], CaptionState]:
        """Take the last word further, as a search asks for it."""
        log_probs, step = self.look(tokens, state)
        return log_probs, step.state

    def forward(
        self, pictures: Tensor, captions: Words, places: Int[Tensor, "batch time"] | None = None
    ) -> CaptionRun:
        """Foretell each word from the true ones before it.

        Args:
            pictures: what the encoder takes.
            captions: from `BEGIN` on; the last word foretells nothing that is known and is left out.
            places: where hard attention looks for each word; None lets it choose.
        """
        state = self.start(pictures)
        looks = [()] * captions.shape[1] if places is None else [(place,) for place in places.unbind(dim=1)]
        embedded, steps = self.embedding(captions), []
        for word, place in zip(embedded.unbind(dim=1), looks, strict=True):
            steps.append(self.decoder(word, state, *place))
            state = steps[-1].state

        def joined(parts: list[Tensor | None]) -> Tensor | None:
            there = [part for part in parts if part is not None]
            return torch.stack(there, dim=1) if there else None

        hidden = torch.stack([step.state.hidden for step in steps], dim=1)
        context = torch.stack([step.context for step in steps], dim=1)
        return CaptionRun(
            self.L_o(self.decoder.evidence(embedded, hidden, context)),
            joined([step.weights for step in steps]),
            joined([step.log_probability for step in steps]),
        )


def scene_captioner(
    attention: str,
    words: Sequence[str],
    side: int,
    channels: Sequence[int],
    embedding_size: int,
    hidden_size: int,
    attention_size: int,
) -> Captioner:
    """Return a captioner that sees pixels, before training.

    Args:
        attention: one of `ATTENTIONS`.
        words: that it can write.
        side: pixels along a side of a picture.
        channels: of each convolution.
        embedding_size, hidden_size, attention_size: see `caption_decoder`.
    """
    encoder = AnnotationEncoder(tuple(channels), side)
    decoder = caption_decoder(
        attention, encoder.grid, encoder.features, embedding_size, hidden_size, attention_size
    )
    return Captioner(encoder, decoder, words, embedding_size)
