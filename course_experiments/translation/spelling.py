"""What it costs and what it buys to write characters: bits, steps, and words seldom seen.

A perplexity per token compares only models with the same tokens. Bits per character compare any two: both
spread one unit of probability over the same texts. (A text can be cut into pieces in several ways, and only
one of them is counted, so what is measured is an upper bound.)
"""

import math
import re
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import partial

import torch

from course_experiments.protocol import Budget, Experiment, Outcome
from course_experiments.results import Measurement
from course_experiments.translation.rungs import trained_translator
from course_experiments.translation.translators import tokenise
from course_lib.applications.translator import Translation, Translator, translate_each
from course_lib.data import ReferencedSentence, SentencePair, load_tatoeba
from course_lib.data.batches import length_batches
from course_lib.training.objectives import next_token_loss


@dataclass(frozen=True)
class TextCost:
    """How surprised a model is by true translations (teacher forcing)."""

    bits_per_character: float  # the end of a text counts as a character
    perplexity_per_word: float  # words and punctuation marks; the end counts as one


def text_cost(translator: Translator, pairs: Sequence[SentencePair]) -> TextCost:
    """Measure how well a model predicts translations, in units that do not depend on its tokens.

    bits per character = −log₂ p(texts) / (characters + texts)
    """
    model, pad_id = translator.model, translator.encoding.pad_id
    ids = tokenise(pairs, translator.encoding, translator.target_encoding)
    with torch.no_grad():
        nats = sum(float(next_token_loss(model, batch)[0]) for batch in length_batches(ids, 128, pad_id))
    characters = sum(len(pair.target) + 1 for pair in pairs)
    units = sum(len(re.findall(r"\w+|[^\w\s]", pair.target)) + 1 for pair in pairs)
    return TextCost(nats / math.log(2) / characters, math.exp(nats / units))


def words(text: str) -> list[str]:
    """Return a text's words: runs of letters."""
    return re.findall(r"[^\W\d_]+", text)


def count_words(pairs: Iterable[SentencePair]) -> Counter[str]:
    """Count the words of all target texts."""
    return Counter(word for pair in pairs for word in words(pair.target))


@dataclass(frozen=True)
class RareWords:
    """How a translator does with words that training showed seldom."""

    needed: int  # rare words that every reference of their sentence has
    found: int  # of these, in the translation
    to_copy: int  # of the needed, those that stand in the source as they are, such as names
    copied: int  # of these, in the translation
    written: int  # words of all translations
    invented: int  # of these, in no training text and not in the source


def rare_words(
    sentences: Sequence[ReferencedSentence],
    translations: Sequence[Translation],
    counts: Counter[str],
    rare: int = 5,
) -> RareWords:
    """Compare translations with the words that they had to have.

    Args:
        sentences: with all their references.
        translations: one of each.
        counts: how often training showed each target word.
        rare: most times that training may have shown a word for it to be rare.
    """
    needed = found = to_copy = copied = written = invented = 0
    for sentence, translation in zip(sentences, translations, strict=True):
        source, said = set(words(sentence.source)), words(translation.text)
        common = set.intersection(*(set(words(reference)) for reference in sentence.references))
        for word in common:
            if counts[word] <= rare:
                needed += 1
                found += word in said
                to_copy += word in source
                copied += word in source and word in said
        written += len(said)
        invented += sum(not counts[word] and word not in source for word in said)
    return RareWords(needed, found, to_copy, copied, written, invented)


def steps_per_sentence(translations: Sequence[Translation]) -> float:
    """Return the mean number of tokens written, "</s>" counted."""
    return sum(len(translation.pieces) for translation in translations) / len(translations)


def spelling_results(translator: Translator) -> list[Measurement]:
    """Measure a shipped translator on the test sentences, decoding greedily; return what is recorded."""
    data = load_tatoeba("fra")
    sentences = data.references("test")
    translations = translate_each(translator, [sentence.source for sentence in sentences])
    cost = text_cost(translator, data.test)
    rare = rare_words(sentences, translations, count_words(data.train))
    seldom = "words that training showed 5 times or less and no reference does without"
    values = {
        "bits-per-character": ("bits per character, teacher-forced", cost.bits_per_character),
        "perplexity-per-word": ("perplexity per word or mark, teacher-forced", cost.perplexity_per_word),
        "steps": ("tokens written per sentence", steps_per_sentence(translations)),
        "rare-needed": (seldom, float(rare.needed)),
        "rare-found": (f"of the {rare.needed} {seldom}, those written", float(rare.found)),
        "copy-needed": ("of these, words that stand in the source", float(rare.to_copy)),
        "copy-found": (f"of the {rare.to_copy} rare words to copy, those copied", float(rare.copied)),
        "invented": (
            f"of {rare.written} words written, those in no training text and not in the source",
            float(rare.invented),
        ),
    }
    name = translator.name.replace("_", "-")
    return [
        Measurement(
            id=f"spelling-{name}-{key}",
            experiment="spelling",
            metric=f"{name}: {metric}; Tatoeba English-French, test",
            value=value,
        )
        for key, (metric, value) in values.items()
    ]


def run(name: str, budget: Budget) -> Outcome:
    """Measure what a translator's tokens cost and buy."""
    return Outcome(spelling_results(trained_translator(name, budget)))


EXPERIMENTS = [
    Experiment(f"spelling_{name}", "rare words, bits per character of a translator", 1, partial(run, name))
    for name in ("bahdanau", "character")
]
