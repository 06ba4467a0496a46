"""The line reader: it looks at a handwritten line and writes its characters."""

from collections.abc import Callable, Iterator, Sequence
from functools import cache
from pathlib import Path
from typing import NamedTuple

import numpy as np
import torch
from jaxtyping import Float, Int
from torch import Tensor
from torch.nn import functional

from course_lib.checkpoints import FOLDER, load_model
from course_lib.data.batches import neighbours, pad
from course_lib.data.handwriting import HEIGHT, Line
from course_lib.decoding.ctc_search import NextLabel, best_path
from course_lib.decoding.lattice_record import likeliest_path
from course_lib.seq2seq.ctc import BLANK, ctc_loss, with_blanks
from course_lib.seq2seq.line_reader import STRIDE, LineReader
from course_lib.text.ngrams import CountingModel
from course_lib.text.vocabulary import CharacterVocabulary

BLANK_SIGN = "∅"
SHIPPED = FOLDER / "line_reader.safetensors"


class LineBatch(NamedTuple):
    """Lines of similar width; paper behind the end of each."""

    pictures: Float[Tensor, "batch 40 width"]  # ink, 0 to 1
    widths: Int[Tensor, "batch"]  # pixels
    labels: Int[Tensor, "batch labels"]
    lengths: Int[Tensor, "batch"]  # labels of each line


def line_vocabulary(characters: str) -> CharacterVocabulary:
    """Return the vocabulary in which the blank is number 0."""
    return CharacterVocabulary(BLANK_SIGN + characters)


def ink(picture: np.ndarray) -> Float[Tensor, "40 width"]:
    """Return the ink of a line, 0 to 1, as the reader sees it.

    Raises:
        ValueError: the picture has another height, or is narrower than one step of the reader.
    """
    if picture.shape[0] != HEIGHT or picture.shape[1] < STRIDE:
        raise ValueError(f"picture is {picture.shape}; allowed is {HEIGHT} rows, {STRIDE} columns or more")
    return torch.tensor(picture, dtype=torch.float32) / 15


def stack(lines: Sequence[Line], vocabulary: CharacterVocabulary) -> LineBatch:
    """Put lines into one batch.

    Raises:
        ValueError: a picture has another size (see `ink`), or a text a character that is not known.
    """
    columns = [ink(line.picture).T for line in lines]
    labels = [vocabulary.encode(line.text).tolist() for line in lines]
    return LineBatch(
        torch.nn.utils.rnn.pad_sequence(columns, batch_first=True).transpose(1, 2),
        torch.tensor(list(map(len, columns))),
        pad(labels, BLANK),
        torch.tensor(list(map(len, labels))),
    )


def line_batches(
    lines: Sequence[Line], vocabulary: CharacterVocabulary, size: int, seed: int | None = None
) -> Iterator[LineBatch]:
    """Yield all lines, `size` at a time; see `neighbours`."""
    for places in neighbours([line.picture.shape[1] for line in lines], size, seed):
        yield stack([lines[i] for i in places], vocabulary)


def redrawn(batch: LineBatch) -> LineBatch:
    """Return the same lines as if written a little steeper, wider, taller or higher, each by its own draw."""
    slant, stretch, tall, shift = torch.empty(4, len(batch.widths), 1, 1).uniform_(-1, 1)
    stretch = 1 + 0.12 * stretch
    widths = (batch.widths / stretch.flatten()).ceil().long()
    rows, columns = torch.arange(HEIGHT)[:, None] - (HEIGHT - 1) / 2, torch.arange(int(widths.max()))
    across = stretch * columns + 0.3 * slant * rows
    down = (1 + 0.12 * tall) * rows + 2 * shift
    places = torch.stack(
        [(2 * across + 1) / batch.pictures.shape[2] - 1, (2 * down / HEIGHT).expand_as(across)], dim=-1
    )
    pictures = functional.grid_sample(batch.pictures[:, None], places, align_corners=False)[:, 0]
    return batch._replace(pictures=pictures, widths=widths)


def line_loss(model: LineReader, batch: LineBatch) -> Float[Tensor, ""]:
    """Return the loss in nats a character."""
    said = model(batch.pictures, batch.widths)
    return ctc_loss(said.logits, batch.labels, said.lengths, batch.lengths).sum() / batch.lengths.sum()


@torch.no_grad()
def look_at(model: LineReader, lines: Sequence[Line]) -> list[Float[Tensor, "_steps classes"]]:
    """Return what the reader says of each line: log-probabilities at every step."""
    found = []
    for line in lines:
        picture = ink(line.picture)[None]
        found.append(model(picture, torch.tensor([picture.shape[2]])).logits[0].log_softmax(dim=1))
    return found


def read_lines(
    model: LineReader,
    vocabulary: CharacterVocabulary,
    lines: Sequence[Line],
    search: Callable[[Tensor], Sequence[int]] = best_path,
) -> list[str]:
    """Return the text of each line; `search` goes from what the reader says to labels."""
    return [vocabulary.decode(search(said)) for said in look_at(model, lines)]


def find_letters(
    said: Float[Tensor, "time classes"], labels: Sequence[int]
) -> tuple[Float[np.ndarray, "letters"], Float[np.ndarray, "borders"]]:
    """Say where each letter of a line stands whose text is known.

    The likeliest path of the text puts each letter somewhere; a border lies half way between two of them.

    Args:
        said: log-probabilities of the reader at every step.
        labels: of the text; one or more.

    Returns:
        the middle of each letter, and the borders, one before each letter and one behind the last; in pixels.

    Raises:
        ValueError: there are no labels.
    """
    if not labels:
        raise ValueError("labels are empty; allowed is one label or more")
    states = with_blanks(torch.tensor([list(labels)]))[0].numpy()
    path = likeliest_path(said.double().numpy(), states)
    steps = [np.flatnonzero(path == 2 * place + 1) for place in range(len(labels))]
    middles = np.array([STRIDE * (found.mean() + 0.5) for found in steps])
    between = (middles[1:] + middles[:-1]) / 2
    return middles, np.array([0, *between, STRIDE * len(said)])


def count_characters(
    lines: Sequence[Line], vocabulary: CharacterVocabulary, memory: int = 5, strength: float = 16.0
) -> CountingModel:
    """Return a language model of the characters of lines; the blank's number stands before each line."""
    texts = [[BLANK, *vocabulary.encode(line.text).tolist()] for line in lines]
    return CountingModel(np.concatenate(texts), len(vocabulary), memory, strength)


def next_character(model: CountingModel) -> NextLabel:
    """Return what prefix search asks a language model of characters; each context is counted once."""

    @cache
    def after(context: tuple[int, ...]) -> Float[np.ndarray, "classes"]:
        return model.log_probs(context)

    return lambda prefix: after((BLANK, *prefix)[-model.memory :])


def load_line_reader(path: Path = SHIPPED) -> tuple[LineReader, CharacterVocabulary]:
    """Return a trained reader, in eval mode, and its vocabulary; by default the shipped one.

    Raises:
        CheckpointError: the file is missing or damaged.
    """
    model, config = load_model(path, lambda config: LineReader(**config["sizes"]))
    return model, line_vocabulary(config["characters"])
