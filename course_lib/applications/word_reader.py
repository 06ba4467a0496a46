"""The word reader: a small language model that reads English and shows what each word looks back at."""

from collections.abc import Sequence
from pathlib import Path
from typing import Literal

import numpy as np
import torch
from jaxtyping import Float, Int
from torch import Tensor, nn
from torch.nn import functional

from course_lib.checkpoints import FOLDER, load_model, save_checkpoint
from course_lib.data.special import BEGIN, END, PAD, SPECIAL, UNKNOWN
from course_lib.recurrent.lstmn import LSTMN
from course_lib.text.bpe import words
from course_lib.traces import AttentionTrace

KNOWN_FIRST = (*SPECIAL, UNKNOWN)  # every vocabulary begins with them
SIZE = 96

Kind = Literal["lstmn", "lstm"]


def words_of(text: str) -> list[str]:
    """Return words and punctuation marks, as written."""
    return [word.strip() for word in words(" " + text) if word.strip()]


class Reader(nn.Module):
    """Embedding, one recurrent layer, and the embedding again to score the next word.

    Args:
        vocabulary: the words known; the first four are `KNOWN_FIRST`.
        kind: "lstmn" or "lstm".
        size: features of a word and of a state.
        dropout: share of features that training drops.
    """

    def __init__(self, vocabulary: Sequence[str], kind: Kind, size: int = SIZE, dropout: float = 0.2) -> None:
        super().__init__()
        self.vocabulary, self.kind, self.size = tuple(vocabulary), kind, size
        self.ids = {word: i for i, word in enumerate(vocabulary)}
        self.embedding = nn.Embedding(len(vocabulary), size, padding_idx=PAD)
        nn.init.normal_(self.embedding.weight, std=size**-0.5)
        self.recurrent = LSTMN(size, size) if kind == "lstmn" else nn.LSTM(size, size, batch_first=True)
        self.bias = nn.Parameter(torch.zeros(len(vocabulary)))
        self.dropout = nn.Dropout(dropout)

    def encode(self, text: str) -> list[int]:
        """Return <s>, the words' ids, </s>."""
        return [BEGIN, *(self.ids.get(word, self.ids[UNKNOWN]) for word in words_of(text)), END]

    def forward(
        self, tokens: Int[Tensor, "batch time"]
    ) -> tuple[Float[Tensor, "batch time vocabulary"], Float[Tensor, "batch time time"] | None]:
        """Return logits of each next word, and how an LSTMN looked back (None for an LSTM)."""
        states, weights = self.recurrent(self.dropout(self.embedding(tokens)))
        logits = functional.linear(self.dropout(states), self.embedding.weight, self.bias)
        return logits, weights if self.kind == "lstmn" else None


def save_reader(model: Reader, path: Path) -> None:
    """Write a reader as a checkpoint (float16)."""
    config = {"vocabulary": list(model.vocabulary), "kind": model.kind, "size": model.size}
    save_checkpoint(path, model, config)


def load_reader(path: Path = FOLDER / "lstmn_english.safetensors") -> Reader:
    """Return a trained reader in eval mode; by default the shipped one.

    Raises:
        CheckpointError: the file is missing or damaged.
    """
    return load_model(path, lambda config: Reader(**config))[0]


def look_back(model: Reader, tokens: Int[Tensor, "batch time"]) -> Float[Tensor, "batch time time"]:
    """Return how strongly each step looked at each earlier one.

    Raises:
        ValueError: the model is no LSTMN.
    """
    _, weights = model(tokens)
    if weights is None:
        raise ValueError(f"model.kind is {model.kind!r}; allowed is 'lstmn', an LSTM leaves no weights")
    return weights


@torch.no_grad()
def read(model: Reader, text: str) -> AttentionTrace:
    """Read a sentence word by word; return which earlier words each step looked back at.

    A row is the word being read, `<s>` first; its own and later words are masked. A word that the model does
    not know stands as itself; `unknown_words` names it.

    Raises:
        ValueError: the model is no LSTMN, or the sentence has no word.
    """
    if not words_of(text):
        raise ValueError("text has no word; at least one is needed")
    names = ("<s>", *words_of(text))
    weights = look_back(model, torch.tensor([model.encode(text)[:-1]], device=model.bias.device))
    keep, title = np.tri(len(names), k=-1, dtype=bool), f"What each word looks back at: {text}"
    return AttentionTrace(weights[None].numpy(force=True), names, names, keep=keep, title=title)


def unknown_words(model: Reader, text: str) -> list[str]:
    """Return the words of a text that the model reads as one and the same `<unk>`."""
    return [word for word in words_of(text) if word not in model.ids]
