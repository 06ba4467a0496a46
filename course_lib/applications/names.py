"""Names that a translator hardly knows: another one is lent to it, and the name is given back after.

A model that writes in pieces cannot spell a name that it has hardly ever written. What it can't know is taken
out before and put back after, as Luong, Sutskever, Le, Vinyals and Zaremba do ("Addressing the Rare Word
Problem in Neural Machine Translation", 2015). They put a mark in its place; we put a name that it read often.
"""

import re
import unicodedata
from collections import Counter
from collections.abc import Container, Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import takewhile

from course_lib.data import SentencePair
from course_lib.data.letters import MARKS
from course_lib.metrics.text import LETTERS
from course_lib.text.bpe import SPACE
from course_lib.text.typography import plain

OFTEN = 10  # a name that training held so many times counts as known
PEOPLE = ("Tom", "Mary")  # the names that training held most: one piece each, and French copies them
TOWNS = ("Boston", "Tokyo")

_LETTERS = rf"[^\W\d_](?:[^\W\d_]|[{MARKS}])*+"
_WORD = re.compile(rf"(?<!\w){_LETTERS}(?!\w)")
_JOINED = re.compile(rf"(?<!\w){_LETTERS}(?:['-]{_LETTERS})*+(?!\w)")  # O'Brien, Jean-Luc
_IN = re.compile(r"\b[Ii]n $")


@dataclass(frozen=True)
class Lent:
    """A text in which names are lent to others: {"Tom": "Anna"} where Tom stands for Anna."""

    text: str
    names: Mapping[str, str]

    def give_back(self, text: str) -> str:
        """Return a translation with the names of the text itself: "de Tom" may become "d'Anna"."""
        if not self.names:
            return text

        def own(found: re.Match[str]) -> str:
            before, name = found[1] or "", self.names[found[2]]
            vowel = unicodedata.normalize("NFD", name[0])[0] in "AEIOU"
            return (before[:-2] + "'" if before and vowel else before) + name

        return re.sub(rf"(\b(?:[Dd]|\w*[Qq]u)e )?\b({'|'.join(self.names)})\b", own, text)

    @property
    def read_as(self) -> tuple[tuple[str, str], ...]:
        """Names of the text itself, each with the one that stands for it."""
        return tuple((name, stand_in) for stand_in, name in self.names.items())

    def named(self, pieces: Iterable[str]) -> tuple[str, ...]:
        """Return pieces of the text, or of its translation, with the names of the text itself."""
        own = {SPACE + stand_in: SPACE + name.replace(" ", SPACE) for stand_in, name in self.names.items()}
        return tuple(own.get(piece, piece) for piece in pieces)


def missing(names: Iterable[str], translation: str) -> list[str]:
    """Return those names that do not stand in a translation as words."""
    return [name for name in names if not re.search(rf"\b{re.escape(name)}\b", translation)]


def lend_names(text: str, known: Container[str]) -> Lent:
    """Lend a name that was read often to each that was not; where none is left, a name stays.

    A name is capitalised, and neither it nor its lower-case form is known. Names that follow one another are
    one, "Angela Merkel"; so are joined words of which one is not known, "Jean-Luc". After "in" it is taken
    for a town's.

    Args:
        text: an English sentence.
        known: words, as `learned_words` gives them.

    Returns:
        The sentence in plain signs, with other names; as it came where there is no name to lend to.
    """
    read = plain(text)
    held = set(_WORD.findall(read))
    lent: dict[str, str] = {}
    written, end = "", 0
    for start, stop in _places(read, known):
        name = read[start:stop]
        stand_ins = TOWNS + PEOPLE if _IN.search(read[:start]) else PEOPLE + TOWNS
        free = [one for one in stand_ins if one not in held and one not in lent.values()]
        if free:
            lent.setdefault(name, free[0])
        written += read[end:start] + lent.get(name, name)
        end = stop
    if not lent:
        return Lent(text, {})
    return Lent(written + read[end:], {stand_in: name for name, stand_in in lent.items()})


def _places(text: str, known: Container[str]) -> list[tuple[int, int]]:
    """Return where names stand: begin and end of each."""
    places: list[tuple[int, int]] = []
    for found in _JOINED.finditer(text):
        start = found.start()
        parts = [*takewhile(lambda part: part[0].isupper(), re.split("['-]", found[0]))]
        if all(part in known or part.lower() in known for part in parts):
            continue
        stop = start + len("'".join(parts))
        if places and text[places[-1][1] : start] == " ":
            start, _ = places.pop()
        places.append((start, stop))
    return places


def learned_words(pairs: Sequence[SentencePair]) -> frozenset[str]:
    """Return the English words that pairs teach to translate: all but the names that they hold seldom.

    Such a name is a capitalised word that stands there fewer than ten times, never in small letters, and that
    French copies each time.
    """
    tokens = Counter(token for pair in pairs for token in pair.source.split())
    read: Counter[str] = Counter()
    for token, times in tokens.items():
        for word in LETTERS.findall(token):
            read[word] += times
    names = {word for word in read if word[0].isupper() and read[word] < OFTEN and word.lower() not in read}
    named = {token for token in tokens if not names.isdisjoint(LETTERS.findall(token))}
    for pair in pairs:
        if not named.isdisjoint(pair.source.split()):
            here = names.intersection(LETTERS.findall(pair.source))
            names -= here.difference(LETTERS.findall(pair.target))
    return frozenset(read.keys() - names)
