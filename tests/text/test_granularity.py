"""The table of characters, words, pieces and bytes, against counts made another way."""

import re
from collections import Counter

import pytest

from course_lib.data import load_tatoeba
from course_lib.text.granularity import LONG_WORDS, Units, learn_units, measure, sentences

TRAIN = ["a cat sat", "a cat ran", "the dog"]
HELD_OUT = ["a dog sat!", "the cats"]


def rows(units, texts):
    return {one.name: measure(one, texts) for one in units}


@pytest.fixture(scope="module")
def turkish():
    train, held_out = sentences("tur", 1500)
    return train, held_out, learn_units(train, merges=(0, 300), most_frequent=300)


def test_a_table_counted_by_hand():
    table = rows(learn_units(TRAIN, merges=(0,), most_frequent=2), HELD_OUT)
    # Seen: a c t s r n h e d o g and the space; "!" is not, so 1 of 18 characters is unknown.
    assert table["characters"][1:] == (12, 1 / 18, 9, 18 / 6)
    # Six words and marks; of a, cat, sat, ran, the, dog the words "!" and "cats" are not.
    assert table["words"][1:] == (6, 2 / 6, 3, 1)
    # Only "a" and "cat" are kept.
    assert table["words, the 2 most frequent"][1:] == (2, 5 / 6, 3, 1)
    # Each sentence gets a space in front; 259 ids for special symbols and bytes, then 12 characters.
    assert table["BPE, 0 merges"][1:] == (259 + 12, 0, 10, 20 / 6)
    assert table["bytes"][1:] == (256, 0, 9, 18 / 6)


def test_turkish_words_and_characters_counted_another_way(turkish):
    train, held_out, units = turkish
    table = rows(units, held_out)
    # What is cut at spaces, then a run of letters, digits and underscores or a run of others.
    split = [re.findall(r"\w+|[^\w]+", part) for text in held_out for part in text.split()]
    tokens = [token for part in split for token in part]
    seen = {token for text in train for part in text.split() for token in re.findall(r"\w+|[^\w]+", part)}
    assert table["words"].vocabulary == len(seen)
    assert table["words"].unknown == pytest.approx(sum(token not in seen for token in tokens) / len(tokens))
    assert table["words"].per_sentence == pytest.approx(len(tokens) / len(held_out))
    letters = Counter("".join(held_out))
    new = sum(count for letter, count in letters.items() if letter not in "".join(train))
    assert table["characters"].unknown == pytest.approx(new / letters.total())
    assert table["bytes"].per_word == pytest.approx(len("".join(held_out).encode()) / len(tokens))


def test_turkish_pieces_as_the_tokenizers_library_counts_them(turkish):
    from tokenizers import Regex, Tokenizer, models, pre_tokenizers, trainers

    train, held_out, units = turkish
    theirs = Tokenizer(models.BPE())
    with_marks = pre_tokenizers.Metaspace(prepend_scheme="always", split=False)
    runs = pre_tokenizers.Split(Regex(r"▁?\w+|▁?[^\w▁]+|▁"), behavior="isolated")
    theirs.pre_tokenizer = pre_tokenizers.Sequence([with_marks, runs])
    size = len(units[4].vocabulary) - 259  # they have no special symbols and no bytes
    theirs.train_from_iterator(train, trainers.BpeTrainer(vocab_size=size, show_progress=False))
    known = [text for text in held_out if set(text) <= set("".join(train))]
    ours = measure(units[4], known)
    lengths = [len(theirs.encode(text).tokens) for text in known]
    assert ours.name == "BPE, 300 merges"
    assert ours.per_sentence == pytest.approx(sum(lengths) / len(lengths))


def test_held_out_sentences_are_new_and_single():
    for language, (code, side) in {"eng": ("fra", 0), "fra": ("fra", 1), "tur": ("tur", 1)}.items():
        train, held_out = sentences(language)
        assert len(train) == len(set(train)) == 30_000
        assert len(held_out) == len(set(held_out)) > 500
        assert not set(held_out) & {pair[side] for pair in load_tatoeba(code).train}


def test_long_words_are_cut_and_nothing_of_them_is_lost(turkish):
    _, _, units = turkish
    characters, words, _, none, some, as_bytes = units
    for language, long_words in LONG_WORDS.items():
        for word in long_words:
            assert characters.cut(word) == list(word)
            assert words.cut(word) == words.unknown(word) == [word]
            assert len(as_bytes.cut(word)) == len(word.encode())
            assert some.unknown(word) == none.unknown(word) == []
            assert len(some.cut(word)) < len(none.cut(word))
            if language == "Turkish":
                assert "".join(some.cut(word)) == "▁" + word


def test_what_has_no_number_is_counted_each_time():
    units = Units("letters", list, frozenset("ab"))
    assert units.unknown("abcac") == ["c", "c"]
    assert measure(units, ["ab c", "c"]).unknown == 3 / 5


def test_wrong_input_is_named():
    with pytest.raises(ValueError, match="language is 'fin'; allowed are 'eng', 'fra', 'tur'"):
        sentences("fin")
    with pytest.raises(ValueError, match="count is 0"):
        sentences("eng", 0)
    with pytest.raises(ValueError, match="merges is empty"):
        learn_units(TRAIN, merges=())
    with pytest.raises(ValueError, match="most_frequent is 0"):
        learn_units(TRAIN, most_frequent=0)
    with pytest.raises(ValueError, match="texts hold no word; allowed is one or more, got 1 texts"):
        measure(Units("characters", list, frozenset()), [" "])
