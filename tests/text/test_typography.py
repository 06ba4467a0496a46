"""Variants of one sentence are one sentence; what is plain stays."""

import unicodedata

import pytest

from course_lib.applications.translator import load_translator
from course_lib.data import load_tatoeba
from course_lib.text.typography import plain

SENTENCE = 'I don\'t know the "café" - do you?'
VARIANTS = {
    "curly quotes": "I don\u2019t know the \u201ccafé\u201d - do you?",
    "other quotes": "I don\u2018t know the \u201ecafé\u201f - do you?",
    "guillemets": "I don't know the «café» - do you?",
    "an accent for an apostrophe": "I don\u00b4t know the \uff02café\uff02 \uff0d do you?",
    "a prime": "I don\u2032t know the \u2033café\u2033 - do you?",
    "dashes": 'I don\'t know the "café" \u2013 do you?',
    "a minus": 'I don\'t know the "café" \u2212 do you?',
    "no-break and thin spaces": 'I\u00a0don\'t\u2009know the\u202f"café" - do\u3000you?',
    "no width": 'I do\u200bn\'t know\u2060 the "ca\u00adfé" - do you?',
    "a byte-order mark": '\ufeffI don\'t know the "café" - do you?',
    "decomposed accents": unicodedata.normalize("NFD", SENTENCE),
    "tabs": 'I\tdon\'t know\tthe "café" - do you?',
    "line ends": 'I don\'t know\r\nthe "café" - do you?\r\n',
    "doubled and trailing spaces": '  I don\'t  know the   "café" - do you? ',
}


@pytest.mark.parametrize("variant", VARIANTS.values(), ids=VARIANTS)
def test_a_variant_is_the_plain_sentence(variant: str) -> None:
    assert variant != SENTENCE and plain(variant) == SENTENCE


def test_what_is_plain_stays_as_it_is() -> None:
    data = load_tatoeba("fra")
    for pair in (*data.validation, *data.test):
        assert plain(pair.source) == pair.source
    for text in ("hug", "naïve Ça", "हिन्दी", "İı", "🙂 x", "3.5 % of $5", "<s>"):
        assert plain(plain(text)) == plain(text) == text
    assert plain("\u200b \n") == ""


def test_a_translator_reads_every_variant_alike_and_shows_what_it_read() -> None:
    translator = load_translator("bahdanau")
    texts = [SENTENCE, *VARIANTS.values()]
    assert len({translation.text for translation in translator.translate(texts)}) == 1
    assert len({translator.source_pieces(text) for text in texts}) == 1
    trace = translator.attention_trace(VARIANTS["curly quotes"])
    assert trace.keys == translator.attention_trace(SENTENCE).keys
    with pytest.raises(ValueError, match="at least one character to read"):
        translator.translate(["\u200b\ufeff"])
