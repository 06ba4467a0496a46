import pytest
from hypothesis import given
from hypothesis import strategies as st

from course_lib.text.vocabulary import CharacterVocabulary, WordVocabulary, split_words


@given(st.text(alphabet="ab\n 'é▁😀"))
def test_a_text_survives_the_way_there_and_back(text):
    vocabulary = CharacterVocabulary("ab\n 'é▁😀")
    tokens = vocabulary.encode(text)
    assert vocabulary.decode(tokens) == vocabulary.decode(tokens.tolist()) == text
    assert len(tokens) == len(text)


def test_numbers_are_places():
    assert CharacterVocabulary("bac").encode("abcab").tolist() == [1, 0, 2, 1, 0]


def test_characters_outside_are_all_named():
    with pytest.raises(ValueError, match=r"text has the characters \['x', '😀'\]; allowed are 'ab '"):
        CharacterVocabulary("ab ").encode("a 😀 bxx")


@pytest.mark.parametrize("characters", ["", "abca"])
def test_a_vocabulary_has_each_character_once(characters):
    with pytest.raises(ValueError, match=r"allowed is each once"):
        CharacterVocabulary(characters)


def test_words_marks_and_line_ends_are_words():
    assert split_words("ROMEO:\nI know't,  'tis  so.") == [
        "romeo", ":", "\n", "i", "know't", ",", "'tis", "so", "."
    ]  # fmt: skip


def test_the_most_frequent_words_are_known_and_the_rest_are_one():
    vocabulary = WordVocabulary.learn("the cat the dog the cat a", 3)
    assert vocabulary.words == ("<unk>", "the", "cat")
    assert vocabulary.encode("The dog saw the CAT").tolist() == [1, 0, 0, 1, 2]
    assert vocabulary.decode([1, 0, 2]) == "the <unk> cat"


def test_a_text_cannot_write_the_unknown_word_itself():
    vocabulary = WordVocabulary.learn("unk < > unk", 9)
    assert 0 not in vocabulary.encode("<unk>").tolist()


def test_a_vocabulary_of_words_has_room_for_one():
    with pytest.raises(ValueError, match="size is 1; allowed is 2 or more"):
        WordVocabulary.learn("a b", 1)


def test_words_of_any_script_are_whole():
    assert split_words("Café, CAFE\u0301 हिन्दी Straße 42") == [
        "café", ",", "cafe\u0301", "हिन्दी", "straße", "4", "2"
    ]  # fmt: skip
