"""Numbers for characters, or for words."""

import re
from collections import Counter
from collections.abc import Iterable

import torch
from jaxtyping import Int
from torch import Tensor

from course_lib.data.letters import MARKS
from course_lib.data.special import UNKNOWN


class CharacterVocabulary:
    """Every character has a number, from 0.

    Args:
        characters: each once; the place is the number.

    Raises:
        ValueError: there are none, or one stands twice.
    """

    def __init__(self, characters: str) -> None:
        twice = sorted({c for c, count in Counter(characters).items() if count > 1})
        if not characters or twice:
            raise ValueError(f"characters are {characters!r}; allowed is each once, but {twice} stand again")
        self.characters = characters
        self.ids = {character: i for i, character in enumerate(characters)}

    def __len__(self) -> int:
        return len(self.characters)

    def encode(self, text: str) -> Int[Tensor, "length"]:
        """Return the number of each character.

        Raises:
            ValueError: a character is not in the vocabulary; the message names all of them.
        """
        strangers = sorted(set(text) - set(self.ids))
        if strangers:
            raise ValueError(f"text has the characters {strangers}; allowed are {self.characters!r}")
        return torch.tensor([self.ids[character] for character in text], dtype=torch.long)

    def decode(self, tokens: Iterable[int] | Int[Tensor, "length"]) -> str:
        """Return the text of numbers."""
        return "".join(self.characters[int(token)] for token in tokens)


class WordVocabulary:
    """Frequent words have a number; number 0 is <unk>, which stands for all others.

    Words are runs of letters and apostrophes; every other mark, and every end of a line, is a word too.

    Args:
        words: without <unk>, each once.
    """

    def __init__(self, words: Iterable[str]) -> None:
        self.words = (UNKNOWN, *words)
        self.ids = {word: i for i, word in enumerate(self.words)}

    @classmethod
    def learn(cls, text: str, size: int) -> "WordVocabulary":
        """Take the most frequent words of a text; of equally frequent ones those that come first.

        Args:
            text: to count in.
            size: words to keep at most, <unk> included; 2 or more.

        Raises:
            ValueError: the size is below 2.
        """
        if size < 2:
            raise ValueError(f"size is {size}; allowed is 2 or more: {UNKNOWN} and a word")
        return cls(word for word, _ in Counter(split_words(text)).most_common(size - 1))

    def __len__(self) -> int:
        return len(self.words)

    def encode(self, text: str) -> Int[Tensor, "length"]:
        """Return the number of each word; 0 for a word that is not known."""
        return torch.tensor([self.ids.get(word, 0) for word in split_words(text)], dtype=torch.long)

    def decode(self, tokens: Iterable[int] | Int[Tensor, "length"]) -> str:
        """Return the words of numbers, with spaces between."""
        return " ".join(self.words[int(token)] for token in tokens)


def split_words(text: str) -> list[str]:
    """Return the words, marks and line ends of a text, in small letters; only spaces are lost."""
    return re.findall(rf"(?:[^\W\d_]|[{MARKS}'])+|\n|\S", text.lower())
