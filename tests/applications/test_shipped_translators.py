"""The checkpoints that ship with the course are what its lectures and its register say of them."""

import pytest

from course_experiments.results import result
from course_experiments.translation.translators import learn_encoding
from course_lib.applications.translator import (
    LARGE_ENCODING,
    SHIPPED_ENCODING,
    load_translator,
    translate_all,
)
from course_lib.data import load_tatoeba
from course_lib.metrics.text import corpus_bleu
from course_lib.seq2seq import word_alignment

TEST = load_tatoeba("fra").references("test")

# Held-out sentences in which French orders the words otherwise: target word -> the source word it stands for.
# Chosen because the weights are right here; lecture 11 also counts sentences where they are not.
REORDERED = [
    ("I was there last night.", "J'y étais la nuit dernière.", {"nuit": "night", "dernière": "last"}),
    ("She likes blue dresses.", "Elle aime les robes bleues.", {"robes": "dresses", "bleues": "blue"}),
    (
        "Learning a foreign language is fun.",
        "Apprendre une langue étrangère est amusant.",
        {"langue": "language", "étrangère": "foreign"},
    ),
    ("I showed her my room.", "Je lui ai montré ma chambre.", {"lui": "her", "montré": "showed"}),
    ("Tom told me you were in Boston.", "Tom m'a dit que vous étiez à Boston.", {"m'": "me", "dit": "told"}),
]


@pytest.mark.parametrize(
    ("path", "translator"),
    [
        (SHIPPED_ENCODING, "bahdanau"),
        pytest.param(LARGE_ENCODING, "bahdanau_large", marks=pytest.mark.slow),
    ],
)
def test_the_shipped_byte_pairs_are_those_the_recipe_learns(path, translator):
    assert learn_encoding(path).merges == load_translator(translator).encoding.merges


@pytest.fixture(scope="module")
def bleu():
    sources, references = [s.source for s in TEST], [s.references for s in TEST]
    return {
        name: corpus_bleu(translate_all(load_translator(name), sources), references).score
        for name in ("cho", "bahdanau")
    }


def test_bleu_is_the_recorded_one(bleu):
    for name, score in bleu.items():
        assert score == pytest.approx(result(f"translator-{name}-bleu-greedy").value, abs=0.3)


def test_attention_is_worth_more_than_five_bleu(bleu):
    assert bleu["bahdanau"] > bleu["cho"] + 5


@pytest.mark.parametrize(("source", "target", "expected"), REORDERED)
def test_reordered_words_look_at_the_word_they_stand_for(source, target, expected):
    assert target in dict((s.source, s.references) for s in TEST)[source]
    trace = load_translator("bahdanau").attention_trace(source, target)
    alignment = word_alignment(trace.weights[0, 0], trace.keys, trace.queries)
    assert {word: alignment.strongest(word) for word in expected} == expected
