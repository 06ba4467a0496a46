"""Which sentences hold a name, how often it was read, and when it is copied: told by hand."""

import re
from types import SimpleNamespace

import pytest

from course_experiments.translation import names
from course_experiments.translation.names import (
    Named,
    as_typed,
    by_reading,
    copied,
    named_sentences,
    swapped_sentences,
    unread_sentences,
)
from course_lib.applications.translator import load_translator
from course_lib.data import ReferencedSentence, SentencePair, load_more_tatoeba, load_tatoeba

TRAINED = [
    *[SentencePair("Paris is here.", "Paris est ici.")] * 5,
    SentencePair("He saw Rome.", "Il a vu Rome."),
    SentencePair("a restaurant", "un restaurant"),
]
OTHERS = [
    SentencePair("Where is Dallas?", "Où est Dallas ?"),  # never read
    SentencePair("Where is Rome?", "Où est Rome ?"),  # read twice: in both languages
    SentencePair("Paris sleeps.", "Paris dort."),  # ten times
    SentencePair("Restaurant or bar?", "Restaurant ou bar ?"),  # no name: read in small letters
    SentencePair("Rome and Paris", "Rome et Paris"),  # two names
    SentencePair("He saw Rome.", "Il vit Rome."),  # trained on
    SentencePair("Is London far?", "Londres est-elle loin ?"),  # another name in French
    SentencePair("He saw Dallas and then one more and one more and one more one.", "Dallas"),  # long
    *[SentencePair(f"Where is Biwa {i}?", "Où est Biwa ?") for i in range(9)],
]


def test_sentences_have_one_name_and_are_sorted_by_how_often_it_was_read(monkeypatch):
    monkeypatch.setattr(names, "load_tatoeba", lambda _: SimpleNamespace(train=TRAINED))
    monkeypatch.setattr(names, "load_more_tatoeba", lambda: OTHERS)
    found = {kind: [named.name for named in some] for kind, some in named_sentences().items()}
    assert found == {"never": ["Dallas", *["Biwa"] * 5], "seldom": ["Rome"], "often": ["Paris"]}


def test_a_name_is_copied_when_it_stands_there_as_a_word():
    written = ["Rome !", "Kyotoo !", "C'est d'Anna.", "bach !"]
    assert copied(["Rome", "Kyoto", "Anna", "Bach"], written) == pytest.approx(50)


class Data(SimpleNamespace):
    """A data set with an empty validation set."""

    train = TRAINED

    def references(self, part):
        return self.test if part == "test" else ()


def test_a_name_never_read_takes_the_place_of_one_that_every_reference_has(monkeypatch):
    test = [
        ReferencedSentence("Tom saw Rome.", ("Tom vit Rome.", "Tom a vu Rome.")),
        ReferencedSentence("Tom's dog", ("Le chien de Tom",)),
        ReferencedSentence("Mary slept.", ("Marie dormit.", "Mary dormit.")),  # not in each reference
        ReferencedSentence("Tom and Mary", ("Tom et Mary",)),  # two
        ReferencedSentence("Tommy slept.", ("Tommy dormit.",)),
    ]
    monkeypatch.setattr(names, "load_tatoeba", lambda _: Data(test=test))
    assert swapped_sentences() == [
        (ReferencedSentence("Peter saw Rome.", ("Peter vit Rome.", "Peter a vu Rome.")), "Peter"),
        (ReferencedSentence("Sophie's dog", ("Le chien de Sophie",)), "Sophie"),
    ]


def test_what_is_put_in_was_never_read():
    text = " ".join(pair.source for pair in (*load_tatoeba("fra").train, *load_more_tatoeba()))
    assert not [name for name in names.NEVER_READ if re.search(rf"\b{name}\b", text)]


def test_sentences_with_a_capitalised_word_never_read(monkeypatch):
    texts = ["Where is Dallas?", "Where is Rome?", "Restaurant!", "He saw a zebu.", "HE saw Oslo."]
    test = [ReferencedSentence(text, ("",)) for text in texts]
    monkeypatch.setattr(names, "load_tatoeba", lambda _: Data(test=test))
    more = [SentencePair("Where is it? a he saw HE", ""), SentencePair("Oslo", "")]
    monkeypatch.setattr(names, "load_more_tatoeba", lambda: more)
    assert [sentence.source for sentence in unread_sentences()] == ["Where is Dallas?"]


def test_both_ways_are_measured_on_the_same_sentences(monkeypatch):
    """By itself the model writes nothing; lent a name, it copies the sentence."""
    monkeypatch.setattr(names, "translate_all", lambda _, sources, *rest, **more: ["" for _ in sources])
    sentence = ReferencedSentence("Where is Dallas now?", ("Where is Dallas now?",))
    monkeypatch.setattr(names, "unread_sentences", lambda: [sentence])
    monkeypatch.setattr(names, "swapped_sentences", lambda: [(sentence, "Dallas")])
    monkeypatch.setattr(names, "lent", lambda _, sources, beam_size: list(sources))
    monkeypatch.setattr(names, "HELPED", ("a_b",))
    cho = load_translator("cho")
    named = {kind: [Named(SentencePair(sentence.source, ""), "Dallas")] for kind in names.TIMES}
    values = {m.id: m.value for m in [*by_reading("a_b", cho, named), *as_typed("a_b", cho)]}
    for kind in ("never", "seldom", "swapped"):
        assert values[f"names-a-b-{kind}"] == 0 and values[f"names-a-b-{kind}-lent"] == 100
    assert values["names-a-b-unread-bleu"] < 1 and values["names-a-b-unread-lent-bleu"] == pytest.approx(100)
