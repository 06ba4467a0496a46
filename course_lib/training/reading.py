"""Train a small language model that reads English word by word, with an LSTMN or an LSTM inside."""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Literal

import torch
from jaxtyping import Float, Int
from torch import Tensor, nn
from torch.nn import functional

from course_lib.checkpoints import FOLDER, read_checkpoint, save_checkpoint
from course_lib.data import load_tatoeba
from course_lib.recurrent.lstmn import LSTMN
from course_lib.text.bpe import words
from course_lib.traces import AttentionTrace
from course_lib.training.batches import length_batches, pad
from course_lib.training.loop import Progress, Schedule, fit

PAD, BEGIN, END, UNKNOWN = range(4)
SPECIAL = ("<pad>", "<s>", "</s>", "<unk>")
VOCABULARY = 4000
SIZE = 96
BATCH_SIZE = 64
SENTENCES = 16_000
SCHEDULE = Schedule(epochs=4, learning_rate=4e-3, warmup=100)

Kind = Literal["lstmn", "lstm"]


def words_of(text: str) -> list[str]:
    """Return words and punctuation marks, as written."""
    return [word.strip() for word in words(" " + text) if word.strip()]


class Reader(nn.Module):
    """Embedding, one recurrent layer, and the embedding again to score the next word.

    Args:
        vocabulary: the words known; the first four are those of `SPECIAL`.
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
        return [BEGIN, *(self.ids.get(word, UNKNOWN) for word in words_of(text)), END]

    def forward(
        self, tokens: Int[Tensor, "batch time"]
    ) -> tuple[Float[Tensor, "batch time vocabulary"], Float[Tensor, "batch time time"] | None]:
        """Return logits of each next word, and how an LSTMN looked back (None for an LSTM)."""
        states, weights = self.recurrent(self.dropout(self.embedding(tokens)))
        logits = functional.linear(self.dropout(states), self.embedding.weight, self.bias)
        return logits, weights if self.kind == "lstmn" else None


def next_word_loss(model: Reader, tokens: Int[Tensor, "batch time"]) -> tuple[Tensor, int]:
    """Return the summed cross-entropy in nats of each next word, and their number; pads count in neither."""
    logits, _ = model(tokens[:, :-1])
    following = tokens[:, 1:]
    total = functional.cross_entropy(
        logits.flatten(0, 1), following.flatten(), ignore_index=PAD, reduction="sum"
    )
    return total, int((following != PAD).sum())


def english(split: Literal["train", "validation"]) -> list[str]:
    """Return the English sentences of a split, each once, in file order."""
    return list(dict.fromkeys(pair.source for pair in getattr(load_tatoeba("fra"), split)))


def mean_loss(model: Reader, batches: Iterable[Int[Tensor, "batch time"]]) -> float:
    """Return nats a word, teacher-forced; its exponential is the perplexity."""
    with torch.no_grad():
        totals, counts = zip(*(next_word_loss(model, batch) for batch in batches), strict=True)
    return float(sum(totals)) / sum(counts)


def train_reader(
    folder: Path,
    minutes: float | None = None,
    fresh: bool = False,
    kind: Kind = "lstmn",
    sentences: int = SENTENCES,
    schedule: Schedule = SCHEDULE,
) -> tuple[Reader, Progress]:
    """Train a reader on the first English sentences of Tatoeba, on one thread.

    Args:
        folder: where the training state is kept.
        minutes: pause after about so many minutes of wall-clock time; None never pauses.
        fresh: start anew.
        kind: "lstmn", or "lstm" to compare with.
        sentences: how many to learn from.
        schedule: how long and how fast.
    """
    torch.set_num_threads(1)
    torch.manual_seed(0)
    texts = english("train")[:sentences]
    counts = Counter(word for text in texts for word in words_of(text))
    model = Reader([*SPECIAL, *(word for word, _ in counts.most_common(VOCABULARY))], kind)
    train = [(model.encode(text), [END]) for text in texts]
    held_out = [model.encode(text) for text in sorted(english("validation"), key=lambda t: len(words_of(t)))]
    tests = [pad(held_out[i : i + 256], PAD) for i in range(0, len(held_out), 256)]

    def batches(epoch: int) -> Iterator[Int[Tensor, "batch time"]]:
        return (batch.source for batch in length_batches(train, BATCH_SIZE, PAD, seed=epoch))

    def loss(batch: Int[Tensor, "batch time"]) -> Tensor:
        total, count = next_word_loss(model, batch)
        return total / count

    progress = fit(
        model,
        loss,
        batches,
        -(-len(train) // BATCH_SIZE),
        lambda: mean_loss(model, tests),
        schedule,
        folder,
        minutes,
        fresh,
    )
    return model.eval(), progress


def save_reader(model: Reader, path: Path) -> None:
    """Write a reader as a checkpoint (float16)."""
    config = {"vocabulary": list(model.vocabulary), "kind": model.kind, "size": model.size}
    save_checkpoint(path, model, config)


def load_reader(path: Path = FOLDER / "lstmn_english.safetensors") -> Reader:
    """Return a trained reader in eval mode; by default the shipped one.

    Raises:
        CheckpointError: the file is missing or damaged.
    """
    config, weights = read_checkpoint(path)
    model = Reader(**config)
    model.load_state_dict(weights)
    return model.eval()


@torch.no_grad()
def read(model: Reader, text: str) -> AttentionTrace:
    """Read a sentence word by word; return which earlier words each step looked back at.

    A row is the word being read, `<s>` first; its own and later words are masked.

    Raises:
        ValueError: the model is no LSTMN, or the sentence has no word.
    """
    if model.kind != "lstmn":
        raise ValueError(f"model.kind is {model.kind!r}; allowed is 'lstmn', an LSTM leaves no weights")
    if not words_of(text):
        raise ValueError("text has no word; at least one is needed")
    names = ("<s>", *words_of(text))
    _, weights = model(torch.tensor([model.encode(text)[:-1]]))
    assert weights is not None
    keep = torch.ones(len(names), len(names), dtype=torch.bool).tril(-1)
    return AttentionTrace(
        weights[None].numpy(), names, names, keep=keep.numpy(), title=f"What each word looks back at: {text}"
    )
