"""A hypothesis in words that exist goes before a likelier one with an invented word."""

import pytest

from course_lib.applications.translator import french_words, load_translator
from course_lib.data import load_more_tatoeba, load_tatoeba
from course_lib.decoding import Hypothesis, prefer_known_words

WORDS = ("je", "viens", "de", "holloller", "hollande", "kylie")
KNOWN = frozenset({"je", "viens", "de", "hollande"})


def text_of(tokens):
    return " ".join(WORDS[token] for token in tokens)


def hypothesis(score, *tokens, finished=True):
    return Hypothesis(tokens, score, score, finished)


INVENTED, LOWER, LOWEST = hypothesis(-1, 0, 1, 2, 3), hypothesis(-2, 0, 1, 2, 4), hypothesis(-3, 0, 1)
CUT = hypothesis(-0.5, 0, finished=False)


def test_the_best_without_an_invented_word_is_first_and_nothing_is_lost():
    assert prefer_known_words([INVENTED, LOWER, LOWEST], text_of, KNOWN) == [LOWER, LOWEST, INVENTED]


def test_where_none_is_better_the_order_stays():
    worse = hypothesis(-4, 3)
    assert prefer_known_words([INVENTED, worse], text_of, KNOWN) == [INVENTED, worse]
    assert prefer_known_words([LOWER, LOWEST], text_of, KNOWN) == [LOWER, LOWEST]
    assert prefer_known_words([INVENTED, CUT], text_of, KNOWN) == [INVENTED, CUT]  # cut off is no way out


def test_a_word_of_the_source_may_be_copied():
    name = hypothesis(-1, 0, 1, 5)
    assert prefer_known_words([name, LOWER], text_of, KNOWN) == [LOWER, name]
    assert prefer_known_words([name, LOWER], text_of, KNOWN, "I am Kylie.") == [name, LOWER]


def test_known_is_what_stands_in_a_french_sentence():
    texts = [pair.target.lower() for pair in (*load_tatoeba("fra").train, *load_more_tatoeba())]
    assert not any("embaucherais" in text for text in texts) and "embaucherais" not in french_words()
    assert any("l'été" in text for text in texts) and {"l", "été"} <= french_words()


@pytest.mark.usefixtures("unchecked")
def test_a_shipped_translator_takes_it_where_it_is_asked_to():
    """Held against the search itself: the first of its finished hypotheses whose words stand in the texts."""
    translator, changed = load_translator("transformer"), 0
    sources = [sentence.source for sentence in load_tatoeba("fra").references("validation")[:6]]
    plainly = translator.translate(sources, 5)
    chosen = translator.translate(sources, 5, known_words=True)
    for source, before, after in zip(sources, plainly, chosen, strict=True):
        found = [translator.encoding.decode(h.tokens) for h in translator.search(source, 5).hypotheses]
        copied = {*"".join(c if c.isalpha() else " " for c in source.lower()).split()}
        exists = [
            text
            for text in found
            if {*"".join(c if c.isalpha() else " " for c in text.lower()).split()} <= french_words() | copied
        ]
        assert before.text == found[0]
        assert after.text == (exists or found)[0]
        assert translator.best(source).text == after.text
        changed += after.text != before.text
    assert changed >= 1
