"""Names that a translator has never read: does it copy them, by itself or where another name is lent to it?

The sentences are real ones that the small translators were not trained on. A name is a capitalised word that
stands in the English sentence and in its French translation alike. The larger translators were trained on
these, too: theirs are test sentences, with a name that they never read put in for another.
"""

import re
from collections import Counter
from collections.abc import Sequence
from itertools import cycle
from typing import NamedTuple

from course_experiments.protocol import Budget, Experiment, Outcome
from course_experiments.results import Measurement
from course_experiments.translation.rungs import trained_translator
from course_lib.applications.names import PEOPLE
from course_lib.applications.translator import Translator, translate_all
from course_lib.data import ReferencedSentence, SentencePair, load_more_tatoeba, load_tatoeba
from course_lib.metrics.text import bleu_spread, corpus_bleu

NAMES = ("sutskever", "cho", "bahdanau", "luong_general", "transformer")  # translators that ship
HELPED = ("bahdanau", "transformer")  # of these, to which other names are lent
LARGE = ("bahdanau_large", "transformer_large")  # for the sentences that people type
NEVER_READ = ("Peter", "Sophie", "Lukas", "Mehdi", "Max", "Kate", "Bob")  # a vowel would ask for d' and qu'
BEAM_SIZE = 5
OFTEN, OF_A_NAME, MOST_WORDS = 10, 5, 12  # at most five sentences of a name
TIMES = {"never": "not once", "seldom": f"1 to {OFTEN - 1} times", "often": f"{OFTEN} times or more"}
WORD = re.compile(r"[^\W\d_]+")


class Named(NamedTuple):
    """A sentence with a name in it."""

    pair: SentencePair
    name: str


def words(text: str) -> list[str]:
    """Return the runs of letters of a text."""
    return WORD.findall(text)


def named_sentences() -> dict[str, list[Named]]:
    """Return sentences with one name each, by how often the training text of the small translators has it.

    A word that a training sentence has in small letters is no name.
    """
    trained = load_tatoeba("fra").train
    read = Counter(word for pair in trained for text in pair for word in words(text))
    known = {pair.source for pair in trained}
    found: dict[str, list[Named]] = {kind: [] for kind in TIMES}
    taken: Counter[str] = Counter()
    for pair in load_more_tatoeba():
        source = words(pair.source)
        if pair.source in known or len(source) > MOST_WORDS:
            continue
        same = set(source) & set(words(pair.target))
        names = [word for word in same if word.istitle() and len(word) > 2 and not read[word.lower()]]
        if len(names) == 1:
            (name,) = names
            kind = "never" if read[name] == 0 else "seldom" if read[name] < OFTEN else "often"
            if taken[name] < OF_A_NAME:
                found[kind].append(Named(pair, name))
                taken[name] += 1
    return found


def swapped_sentences() -> list[tuple[ReferencedSentence, str]]:
    """Return test sentences with a name that no translator has read, and the name.

    In the sentence itself, and in all its references, one of the names stands that are lent to people.
    """
    others, found = cycle(NEVER_READ), []
    for sentence in load_tatoeba("fra").references("test"):
        held = [name for name in PEOPLE if name in words(sentence.source)]
        if len(held) == 1 and all(held[0] in words(text) for text in sentence.references):
            swap, name = re.compile(rf"\b{held[0]}\b"), next(others)
            source, *references = (swap.sub(name, text) for text in (sentence.source, *sentence.references))
            found.append((ReferencedSentence(source, tuple(references)), name))
    return found


def unread_sentences() -> list[ReferencedSentence]:
    """Return test and validation sentences with a capitalised word that no translator has read."""
    data = load_tatoeba("fra")
    read = {word for pair in (*data.train, *load_more_tatoeba()) for word in words(pair.source)}
    return [
        sentence
        for sentence in (*data.references("test"), *data.references("validation"))
        if any(word[0].isupper() and not read & {word, word.lower()} for word in words(sentence.source))
    ]


def copied(names: Sequence[str], written: Sequence[str]) -> float:
    """Return % of the names that stand, letter by letter, in the translation of their sentence."""
    right = sum(name in words(text) for name, text in zip(names, written, strict=True))
    return 100 * right / len(names)


def lent(translator: Translator, sources: Sequence[str], beam_size: int) -> list[str]:
    """Translate sentences as those that people type: where a name is lost, another one is lent to it."""
    return [translator.best(source, beam_size).text for source in sources]


def _measurement(name: str, key: str, what: str, value: float, spread: float | None = None) -> Measurement:
    return Measurement(f"names-{name.replace('_', '-')}-{key}", "names", f"{name}: {what}", value, spread)


def by_reading(name: str, translator: Translator, named: dict[str, list[Named]]) -> list[Measurement]:
    """Say how many names are copied by themselves and lent another, by how often they were read."""
    measured = []
    for kind, times in TIMES.items():
        sources, names = [s.pair.source for s in named[kind]], [s.name for s in named[kind]]
        which = f"{len(names)} sentences not trained on, names that stand {times} in the training text"
        alone = copied(names, translate_all(translator, sources))
        measured.append(_measurement(name, kind, f"% of names copied right, greedy, {which}", alone))
        if kind != "often" and name in HELPED:
            what = f"% of names right where another is lent, greedy, {which}"
            helped = copied(names, lent(translator, sources, 1))
            measured.append(_measurement(name, f"{kind}-lent", what, helped))
    return measured


def as_typed(name: str, translator: Translator) -> list[Measurement]:
    """Say what lending is worth in sentences that neither of the larger translators was trained on."""
    swapped, names = zip(*swapped_sentences(), strict=True)
    measured = []
    for kind, sentences, which in (
        ("swapped", swapped, "a name never read in the place of one that was read often"),
        ("unread", unread_sentences(), "a capitalised word never read"),
    ):
        sources, references = [s.source for s in sentences], [s.references for s in sentences]
        where = f"beam {BEAM_SIZE}, words that exist, {len(sources)} sentences not trained on, {which}"
        for key, how, written in (
            (kind, "", translate_all(translator, sources, BEAM_SIZE, known_words=True)),
            (f"{kind}-lent", " where another is lent", lent(translator, sources, BEAM_SIZE)),
        ):
            bleu, spread = corpus_bleu(written, references).score, bleu_spread(written, references)
            measured.append(_measurement(name, f"{key}-bleu", f"BLEU{how}, {where}", bleu, spread))
            if kind == "swapped":
                what = f"% of names right{how}, {where}"
                measured.append(_measurement(name, key, what, copied(names, written)))
    return measured


def run(budget: Budget) -> Outcome:
    """Let each translator translate the sentences."""
    named, measured = named_sentences(), []
    for name in NAMES:
        measured += by_reading(name, trained_translator(name, budget), named)
    for name in LARGE:
        measured += as_typed(name, trained_translator(name, budget))
    return Outcome(measured)


EXPERIMENTS = [
    Experiment("names", "names that a translator has never read, or seldom, or often", 2, run),
]
