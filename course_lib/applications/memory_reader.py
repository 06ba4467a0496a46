"""The memory reader: it keeps each sentence of a story in a place of its own, and answers questions."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import torch
from jaxtyping import Float

from course_lib.applications.story_reader import babi_stories, words_of
from course_lib.checkpoints import FOLDER, load_model
from course_lib.data.babi import StoryQuestion
from course_lib.data.special import SPECIAL
from course_lib.memory.dynamic import DynamicMemoryNetwork
from course_lib.memory.end_to_end import MemoryNetwork
from course_lib.traces import AttentionTrace

Network = MemoryNetwork | DynamicMemoryNetwork
CANDIDATES = 3  # answers that a reply names


class Reply(NamedTuple):
    """What a reader says, and where it looked."""

    answers: tuple[str, ...]  # the likeliest first
    probabilities: tuple[float, ...]  # theirs
    sentences: tuple[str, ...]  # that were kept, in the order told
    looked: Float[np.ndarray, "hops sentences"]  # weights of each hop, or gates of each pass; 0 to 1


@dataclass(frozen=True)
class MemoryReader:
    """A trained network and its words.

    Attributes:
        network: looks at the sentences several times.
        vocabulary: the special tokens, then all words that it knows.
    """

    network: Network
    vocabulary: tuple[str, ...]

    @property
    def words(self) -> tuple[str, ...]:
        """The words that stories, questions and answers can have."""
        return self.vocabulary[len(SPECIAL) :]

    def ask(self, story: Sequence[str] | str, question: str) -> Reply:
        """Return the answer to a question about a story.

        Args:
            story: sentences, in the order told, or a text whose sentences end with full stops.
            question: one sentence.

        Raises:
            ValueError: the story has no sentence, the question no word, or a word is unknown.
        """
        sentences = split_sentences(story) if isinstance(story, str) else list(story)
        if not any(map(words_of, sentences)):
            raise ValueError("the story is empty; allowed is 1 or more sentences")
        if not words_of(question):
            raise ValueError("the question is empty; allowed is 1 or more words")
        known = set(self.words)
        strangers = sorted({word for text in (*sentences, question) for word in words_of(text)} - known)
        if strangers:
            raise ValueError(
                f"unknown: {', '.join(map(repr, strangers))}; allowed are the words {', '.join(self.words)}"
            )
        any_answer = self.words[0]  # it is not looked at
        kept = sentences[-self.slots :]
        asked = StoryQuestion(tuple(kept), question, any_answer, ())
        ids = babi_stories([asked], self.vocabulary, len(kept))
        with torch.no_grad():
            logits, looked = self.network(ids.sentences, ids.questions)
        best = logits[0].softmax(dim=-1).topk(CANDIDATES)
        return Reply(
            tuple(self.vocabulary[i] for i in best.indices.tolist()),
            tuple(best.values.tolist()),
            tuple(kept),
            looked[0].flip(-1).numpy(),
        )

    @property
    def slots(self) -> int:
        """Sentences that are kept of a story: the newest."""
        return self.network.memory if isinstance(self.network, MemoryNetwork) else MOST_FACTS


MOST_FACTS = 300  # a network that reads fact by fact has no limit of its own


def split_sentences(text: str) -> list[str]:
    """Return the sentences of a text, each with its full stop."""
    return [f"{part.strip()}." for part in text.split(".") if part.strip()]


def hops_trace(reply: Reply, supporting: Sequence[int] = (), title: str = "") -> AttentionTrace:
    """Return where each hop looked, for the heatmap; of a sentence its first and last word are named.

    Args:
        reply: of a network with a softmax over the sentences.
        supporting: positions of the sentences that the answer rests on; these get a star.
        title: what the picture shows.
    """
    keys = tuple(
        f"{i + 1}{'★' if i in supporting else '.'}{words[0]}→{words[-1]}"
        for i, words in enumerate(sentence.rstrip(" .").split() for sentence in reply.sentences)
    )
    queries = tuple(f"hop{hop}" for hop in range(1, len(reply.looked) + 1))
    return AttentionTrace(reply.looked[None, None], queries, keys, title=title)


def read_memory_reader(path: Path) -> MemoryReader:
    """Return the end-to-end memory network of a file, with its words.

    Raises:
        CheckpointError: the file is missing or damaged.
    """
    return _read(path, MemoryNetwork)


def read_dynamic_reader(path: Path) -> MemoryReader:
    """Return the dynamic memory network of a file, with its words.

    Raises:
        CheckpointError: the file is missing or damaged.
    """
    return _read(path, DynamicMemoryNetwork)


def _read(path: Path, make: Callable[..., Network]) -> MemoryReader:
    def build(config: dict[str, Any]) -> Network:
        return make(len(config["vocabulary"]), **{k: v for k, v in config.items() if k != "vocabulary"})

    network, config = load_model(path, build)
    return MemoryReader(network, tuple(config["vocabulary"]))


def load_memory_reader(name: str = "joint") -> MemoryReader:
    """Return a shipped end-to-end memory network.

    Args:
        name: "joint" for the one that learned all twenty tasks of bAbI, "single" for one that learned task 2.

    Raises:
        ValueError: another name.
        CheckpointError: the file is missing or damaged.
    """
    if name not in ("joint", "single"):
        raise ValueError(f"name is {name!r}; allowed are 'joint', 'single'")
    return read_memory_reader(FOLDER / f"babi_{name}.safetensors")


def load_dynamic_reader() -> MemoryReader:
    """Return the shipped dynamic memory network, which learned task 15 of bAbI.

    Raises:
        CheckpointError: the file is missing or damaged.
    """
    return read_dynamic_reader(FOLDER / "facts_dynamic_15.safetensors")
