import json
from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from course_lib.data import load_tatoeba
from course_lib.text import BytePairEncoding
from course_lib.text.bpe import SPACE, learn_merges, merge, words

SENTENCES = [text for pair in load_tatoeba("fra").train[:4000] for text in pair]
ENCODING = BytePairEncoding.train(SENTENCES, 400)


def recount_everything(word_counts, merges):
    """The definition, word by word: count all pairs, join the most frequent, start over."""
    spellings = {word: list(word) for word in word_counts}
    age = {symbol: i for i, symbol in enumerate(sorted({s for word in word_counts for s in word}))}
    learned = []
    for _ in range(merges):
        pairs = Counter()
        for word, count in word_counts.items():
            for i in range(len(spellings[word]) - 1):
                pairs[spellings[word][i], spellings[word][i + 1]] += count
        if not pairs:
            break
        best = min(pairs, key=lambda pair: (-pairs[pair], age[pair[0]], age[pair[1]]))
        learned.append(best)
        age.setdefault("".join(best), len(age))
        spellings = {word: merge(symbols, best) for word, symbols in spellings.items()}
    return learned


def test_the_hug_example():
    counts = {"hug": 10, "pug": 5, "pun": 12, "bun": 4, "hugs": 5}
    assert ["".join(pair) for pair in learn_merges(counts, 3)] == ["ug", "un", "hug"]


def test_merges_equal_those_of_the_tokenizers_library():
    from tokenizers import Tokenizer, models, trainers

    counts = Counter(word.replace(" ", SPACE) for text in SENTENCES for word in words(" " + text))
    tokenizer = Tokenizer(models.BPE())
    trainer = trainers.BpeTrainer(vocab_size=len(ENCODING.alphabet) + 400, show_progress=False)
    tokenizer.train_from_iterator((word for word, n in counts.items() for _ in range(n)), trainer)
    theirs = [tuple(pair) for pair in json.loads(tokenizer.to_str())["model"]["merges"]]
    assert len(theirs) == 400
    assert theirs == list(ENCODING.merges)


@given(
    st.dictionaries(st.text("abc", min_size=1, max_size=8), st.integers(1, 5), max_size=12),
    st.integers(0, 20),
)
def test_counting_only_what_changed_equals_recounting_everything(word_counts, merges):
    assert learn_merges(word_counts, merges) == recount_everything(word_counts, merges)


def test_overlapping_pairs_join_from_the_left():
    assert merge("aaa", ("a", "a")) == ["aa", "a"]


def test_merging_works_on_symbols_not_on_letters():
    assert merge(["xa", "b"], ("a", "b")) == ["xa", "b"]


@given(st.text())
def test_every_text_survives(text):
    assert ENCODING.decode(ENCODING.encode(text)) == text


@pytest.mark.parametrize(
    "text", ["", " ", "  a", "▁", "a▁b", "İıß", "👩‍👩‍👧", "a\nb\tc", "\u2028", "<s>", "<0x41>", "مرحبا"]
)
def test_awkward_texts_survive(text):
    assert ENCODING.decode(ENCODING.encode(text)) == text


def test_special_symbols_cannot_be_written_by_a_text():
    assert not {0, 1, 2} & set(ENCODING.encode("<pad><s></s>"))


def test_a_word_never_seen_is_spelled_and_a_frequent_one_is_whole():
    pieces = [ENCODING.pieces[i] for i in ENCODING.encode("I xqzz")]
    assert pieces[0] == "▁I" and len(pieces) > 2


def test_earlier_merges_win():
    encoding = BytePairEncoding("abc▁", [("b", "c"), ("a", "b"), ("ab", "c")])
    assert [encoding.pieces[i] for i in encoding.encode("abc")] == ["▁", "a", "bc"]


def test_bytes_that_are_no_text_decode_to_the_replacement_character():
    broken = ENCODING.encode("é😀")[:-1]
    assert ENCODING.decode(broken).endswith("\ufffd")


def test_saved_and_loaded_it_is_the_same(tmp_path):
    ENCODING.save(tmp_path / "bpe.json")
    loaded = BytePairEncoding.load(tmp_path / "bpe.json")
    assert loaded.pieces == ENCODING.pieces and loaded.merges == ENCODING.merges


def test_wrong_input_is_named():
    with pytest.raises(ValueError, match="merges is -1"):
        BytePairEncoding.train(["a"], -1)
    with pytest.raises(ValueError, match=f"id is {len(ENCODING)}; allowed are 0 to {len(ENCODING) - 1}"):
        ENCODING.decode([len(ENCODING)])
