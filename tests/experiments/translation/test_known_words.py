"""Each translation is compared before and after the choice; the shares are counted by hand."""

from course_experiments.translation import known_words
from course_lib.applications.translator import load_translator
from course_lib.data import ReferencedSentence


def test_the_choice_is_measured_sentence_by_sentence(monkeypatch):
    sentences = (
        ReferencedSentence("a", ("je viens de hollande", "oui")),
        ReferencedSentence("b", ("je viens",)),
        ReferencedSentence("c", ("de",)),
    )
    texts = {
        False: ["je viens de holloller", "je viens", "de"],
        True: ["je viens de hollande", "viens de", "de"],
    }
    monkeypatch.setattr(known_words, "translate_all", lambda model, sources, size, known: texts[known])
    found = known_words.measure(load_translator("bahdanau"), sentences)
    assert (found.changed, found.nearer, found.farther) == (2 / 3, 1 / 3, 1 / 3)
    assert found.invented == 0
