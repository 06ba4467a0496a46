"""Which sentences hold a name, how often it was read, and when it is copied: told by hand."""

from types import SimpleNamespace

import pytest

from course_experiments.translation import names
from course_experiments.translation.names import Named, copied, named_sentences
from course_lib.applications.translator import load_translator
from course_lib.data import SentencePair

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


def test_a_name_is_copied_when_it_stands_there_as_a_word(monkeypatch):
    sentences = [Named(SentencePair(f"{name}!", ""), name) for name in ("Rome", "Kyoto", "Anna", "Bach")]
    written = {"Rome!": "Rome !", "Kyoto!": "Kyotoo !", "Anna!": "C'est d'Anna.", "Bach!": "bach !"}
    monkeypatch.setattr(names, "translate_all", lambda _, sources: [written[source] for source in sources])
    assert copied(load_translator("cho"), sentences) == pytest.approx(50)
