"""Costs per character and per word, and rare words: counted by hand where probabilities are known."""

import math
from collections import Counter

import pytest
import torch

from course_experiments.translation.spelling import (
    RareWords,
    count_words,
    rare_words,
    steps_per_sentence,
    text_cost,
)
from course_lib.applications.translator import Translation, Translator
from course_lib.data import ReferencedSentence, SentencePair
from course_lib.seq2seq import EncoderDecoder
from course_lib.seq2seq.character import CharacterDecoder, characters
from course_lib.text import BytePairEncoding

PAIRS = [SentencePair("a b", "où va"), SentencePair("c", "là !")]


@pytest.fixture(scope="module")
def encoding() -> BytePairEncoding:
    return BytePairEncoding.train(["a b c où va là ! là où"], 4)


def test_a_uniform_model_costs_log_v_a_token_whatever_its_tokens(encoding: BytePairEncoding) -> None:
    by_character = characters(encoding)
    for model, target in (
        (EncoderDecoder("cho", len(encoding), 4, 4), encoding),
        (CharacterDecoder(len(encoding), len(by_character), 4, 4, 4), by_character),
    ):
        with torch.no_grad():
            model.embedding.weight.zero_()
        cost = text_cost(Translator(model, encoding, "uniform"), PAIRS)
        tokens = sum(len(target.encode(pair.target)) + 1 for pair in PAIRS)
        # "où va" has 5 characters and an end, "là !" 4 and an end; 2 words and an end each.
        assert cost.bits_per_character == pytest.approx(tokens * math.log2(len(target)) / 11, rel=1e-5)
        assert cost.perplexity_per_word == pytest.approx(len(target) ** (tokens / 6), rel=1e-4)
    assert tokens == 13  # every character, "▁" before each text and its end


def said(text: str) -> Translation:
    return Translation(text, tuple(text), (), -1.0, True, None)


def test_rare_words_are_those_that_no_reference_does_without() -> None:
    sentences = [
        ReferencedSentence("Ann saw Zoe.", ("Ann a vu Zoe.", "Zoe, Ann l'a vue.")),
        ReferencedSentence("It rains.", ("Il pleut.",)),
    ]
    counts = Counter({"Ann": 9, "a": 50, "Il": 50, "pleut": 2, "vu": 30})
    # Needed and rare: Zoe (never seen, and in the source) and pleut. "vu" and "vue" have a way around.
    found = rare_words(sentences, [said("Ann a vu Zoe."), said("Il pleuvente.")], counts)
    assert found == RareWords(needed=2, found=1, to_copy=1, copied=1, written=6, invented=1)
    nothing = rare_words(sentences, [said("Ann a vu Zoé."), said("Il pleut.")], counts, rare=1)
    assert nothing == RareWords(needed=1, found=0, to_copy=1, copied=0, written=6, invented=1)


def test_words_and_steps_are_counted() -> None:
    assert count_words([SentencePair("x", "J'ai 2 œufs, j'ai")]) == Counter(
        {"J": 1, "ai": 2, "œufs": 1, "j": 1}
    )
    assert steps_per_sentence([said("abc"), said("a")]) == 2
