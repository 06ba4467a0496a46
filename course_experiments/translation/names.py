"""Names that a translator has never read: does it copy them?

The sentences are real ones that the small translators were not trained on. A name is a capitalised word that
stands in the English sentence and in its French translation alike.
"""

import re
from collections import Counter
from typing import NamedTuple

from course_experiments.protocol import Budget, Experiment, Outcome
from course_experiments.results import Measurement
from course_experiments.translation.rungs import trained_translator
from course_lib.applications.translator import Translator, translate_all
from course_lib.data import SentencePair, load_more_tatoeba, load_tatoeba

NAMES = ("sutskever", "cho", "bahdanau", "luong_general", "transformer")  # translators that ship
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


def copied(translator: Translator, sentences: list[Named]) -> float:
    """Return % of the names that stand, letter by letter, in the greedy translation of their sentence."""
    written = translate_all(translator, [sentence.pair.source for sentence in sentences])
    right = sum(sentence.name in words(text) for sentence, text in zip(sentences, written, strict=True))
    return 100 * right / len(sentences)


def run(budget: Budget) -> Outcome:
    """Let each translator translate the sentences."""
    sentences, measured = named_sentences(), []
    for name in NAMES:
        translator = trained_translator(name, budget)
        for kind, times in TIMES.items():
            measured.append(
                Measurement(
                    f"names-{name.replace('_', '-')}-{kind}",
                    "names",
                    f"{name}: % of names copied right, greedy, {len(sentences[kind])} sentences not trained "
                    f"on, names that stand {times} in the training text",
                    copied(translator, sentences[kind]),
                )
            )
    return Outcome(measured)


EXPERIMENTS = [Experiment("names", "names that a translator has never read, or seldom, or often", 1, run)]
