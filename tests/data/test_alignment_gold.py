import pytest

from course_lib.applications.translator import SHIPPED_ENCODING
from course_lib.data.alignment_gold import (
    CLASSES,
    PAIRS,
    load_alignment_gold,
    read_pair,
    sampled,
    split_english,
    split_french,
)
from course_lib.data.packaged import DataError
from course_lib.data.tatoeba import ReferencedSentence
from course_lib.seq2seq.alignment import word_groups
from course_lib.text import BytePairEncoding

SENTENCE = ReferencedSentence("I'm cold.", ("J'ai froid.", "J'ai très froid."))
ENTRY = {
    "number": 7,
    "english": "I 'm cold .",
    "french": "J'/pron ai/verb froid/noun ./other",
    "links": "0-0 1?1 2-2 3-3",
}


def test_the_pairs_are_those_that_the_sampling_rule_chooses():
    gold = load_alignment_gold()
    assert {pair.number: (pair.source, pair.target) for pair in gold} == {
        number: (sentence.source, sentence.references[0]) for number, sentence in sampled().items()
    }
    assert len(gold) == PAIRS


def test_words_are_what_the_pieces_of_the_translators_make():
    encoding = BytePairEncoding.load(SHIPPED_ENCODING)
    for pair in load_alignment_gold():
        for text, words, language in (
            (pair.source, pair.source_words, "English"),
            (pair.target, pair.target_words, "French"),
        ):
            pieces = [encoding.pieces[i] for i in encoding.encode(text)]
            assert [word for word, _ in word_groups(pieces, language)] == list(words)


def test_every_word_is_linked_and_has_a_class():
    for pair in load_alignment_gold():
        links = pair.sure | pair.possible
        assert not pair.sure & pair.possible
        assert {target for target, _ in links} == set(range(len(pair.target_words)))
        assert {source for _, source in links} == set(range(len(pair.source_words)))
        assert len(pair.classes) == len(pair.target_words) and set(pair.classes) <= set(CLASSES.values())


def test_a_link_that_everybody_would_draw_is_there_the_right_way_round():
    pair = next(pair for pair in load_alignment_gold() if pair.source == "I come from a humble background.")
    named = {(pair.target_words[t], pair.source_words[s]) for t, s in pair.sure}
    assert {("modeste", "humble"), ("milieu", "background")} <= named


def test_one_entry_read_by_hand():
    pair = read_pair(ENTRY, SENTENCE)
    assert pair.target_words == ("J'", "ai", "froid", ".") and pair.classes[:2] == ("pronoun", "verb")
    assert pair.sure == {(0, 0), (2, 2), (3, 3)} and pair.possible == {(1, 1)}
    crossed = read_pair(ENTRY | {"links": "1-2"}, SENTENCE)
    assert crossed.sure == {(2, 1)}  # English 1, French 2


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"english": "I am cold ."}, r"has the words \['I', 'am'"),
        ({"french": "J'/pron ai/verb froid/thing ./other"}, r"'froid' has the class \['thing'\]"),
        ({"french": "J'/pron ai/verb froid ./other"}, r"'froid' has the class \[\]"),
        ({"links": "0-0 1~1"}, "link '1~1' is not written like"),
        ({"links": "4-0"}, "link '4-0' names a word that does not exist; there are 4 English"),
        ({"links": "0-4"}, "link '0-4' names a word"),
        ({"links": "0-0 0?0"}, "link '0[?]0' stands there twice"),
    ],
)
def test_damage_is_named(change, message):
    with pytest.raises(DataError, match="pair 7.*" + message):
        read_pair(ENTRY | change, SENTENCE)


def test_each_language_cuts_at_its_own_side_of_the_apostrophe():
    assert split_english("I don't, Tom's parents' dog.") == [
        "I",
        "don",
        "'t",
        ",",
        "Tom",
        "'s",
        "parents",
        "'",
        "dog",
        ".",
    ]
    assert split_french("Peut-être qu'il l'a dit !") == [
        "Peut",
        "-",
        "être",
        "qu'",
        "il",
        "l'",
        "a",
        "dit",
        "!",
    ]
