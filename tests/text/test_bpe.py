import json
from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from course_lib.data import load_tatoeba
from course_lib.text import BytePairEncoding
from course_lib.text.bpe import BYTES, SPACE, words
from course_lib.text.fast_merges import learn_merges
from course_lib.text.merges import learn_step_by_step, merge

HUGS = {"hug": 10, "pug": 5, "pun": 12, "bun": 4, "hugs": 5}
SENTENCES = [text for pair in load_tatoeba("fra").train[:1000] for text in pair]
ENCODING = BytePairEncoding.train(SENTENCES, 400)
TEXTS = {
    "English": ("fra", "source"),
    "French": ("fra", "target"),
    "Turkish": ("tur", "target"),
}


@pytest.fixture(scope="module", params=TEXTS)
def language(request):
    """A slice to learn from, the encoding learned, and sentences it has not read."""
    code, side = TEXTS[request.param]
    data = load_tatoeba(code)
    train = [getattr(pair, side) for pair in data.train[:2000]]
    return train, BytePairEncoding.train(train, 400), [getattr(pair, side) for pair in data.test[:200]]


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
    assert ["".join(pair) for pair in learn_merges(HUGS, 3)] == ["ug", "un", "hug"]


def test_the_hug_example_step_by_step():
    """Counted by hand: hug 10, pug 5, pun 12, bun 4, hugs 5."""
    first, second, third = learn_step_by_step(HUGS, 3)
    assert first.counts == {
        ("h", "u"): 15,
        ("u", "g"): 20,
        ("p", "u"): 17,
        ("u", "n"): 16,
        ("b", "u"): 4,
        ("g", "s"): 5,
    }
    assert first.pair == ("u", "g")
    assert first.words == {
        "hug": ("h", "ug"),
        "pug": ("p", "ug"),
        "pun": ("p", "u", "n"),
        "bun": ("b", "u", "n"),
        "hugs": ("h", "ug", "s"),
    }
    assert second.counts == {
        ("h", "ug"): 15,
        ("p", "ug"): 5,
        ("p", "u"): 12,
        ("u", "n"): 16,
        ("b", "u"): 4,
        ("ug", "s"): 5,
    }
    assert (second.pair, third.pair) == (("u", "n"), ("h", "ug"))
    assert list(third.words.values()) == [("hug",), ("p", "ug"), ("p", "un"), ("b", "un"), ("hug", "s")]


def test_steps_end_where_no_pair_is_left():
    assert [step.pair for step in learn_step_by_step({"ab": 1}, 5)] == [("a", "b")]
    assert list(learn_step_by_step({}, 5)) == []
    assert [step.pair for step in learn_step_by_step({"aaaa": 1}, 9)] == [("a", "a"), ("aa", "aa")]


def test_merges_equal_those_of_the_tokenizers_library(language):
    from tokenizers import Tokenizer, models, trainers

    train, encoding, _ = language
    counts = Counter(word.replace(" ", SPACE) for text in train for word in words(" " + text))
    tokenizer = Tokenizer(models.BPE())
    trainer = trainers.BpeTrainer(vocab_size=len(encoding.alphabet) + 400, show_progress=False)
    tokenizer.train_from_iterator((word for word, n in counts.items() for _ in range(n)), trainer)
    theirs = [tuple(pair) for pair in json.loads(tokenizer.to_str())["model"]["merges"]]
    assert len(theirs) == 400
    assert theirs == list(encoding.merges)


def test_ids_equal_those_of_the_tokenizers_library(language):
    """Also of what the alphabet lacks, which both spell in bytes."""
    from tokenizers import models

    _, encoding, held_out = language
    vocabulary = {piece: i for i, piece in enumerate(encoding.pieces)}
    theirs = models.BPE(vocab=vocabulary, merges=list(encoding.merges), unk_token="<s>", byte_fallback=True)
    strange = ["😀 hug 你好", "Ωmega", "Çekoslovakyalılaştıramadıklarımızdan", "naïveté Ğ İ ı ß"]
    for text in held_out + strange:
        cut = [word.replace(" ", SPACE) for word in words(" " + text)]
        assert encoding.encode(text) == [token.id for word in cut for token in theirs.tokenize(word)]
    assert set(BYTES) & set(encoding.segment(strange[0]))


def test_every_sentence_survives(language):
    _, encoding, held_out = language
    assert all(encoding.decode(encoding.encode(text)) == text for text in held_out)


@given(
    st.dictionaries(st.text("abc", min_size=1, max_size=8), st.integers(1, 5), max_size=12),
    st.integers(0, 20),
)
def test_counting_only_what_changed_equals_recounting_everything(word_counts, merges):
    assert learn_merges(word_counts, merges) == recount_everything(word_counts, merges)


@given(
    st.dictionaries(st.text("abc", min_size=1, max_size=8), st.integers(1, 5), max_size=12),
    st.integers(0, 20),
)
def test_the_slow_way_shows_the_same_merges(word_counts, merges):
    steps = list(learn_step_by_step(word_counts, merges))
    assert [step.pair for step in steps] == learn_merges(word_counts, merges)
    for step in steps:
        assert all("".join(symbols) == word for word, symbols in step.words.items())


def test_overlapping_pairs_join_from_the_left():
    assert merge("aaa", ("a", "a")) == ["aa", "a"]


def test_merging_works_on_symbols_not_on_letters():
    assert merge(["xa", "b"], ("a", "b")) == ["xa", "b"]


@given(st.text())
def test_every_text_survives(text):
    assert ENCODING.decode(ENCODING.encode(text)) == text


AWKWARD = [
    "",
    " ",
    "  a",
    "▁",
    "a▁b",
    "İıß",
    "İstanbul ılık",
    "👩‍👩‍👧",
    "a\nb\tc",
    "\u2028",
    "<s>",
    "<0x41>",
    "مرحبا",
]


@pytest.mark.parametrize("text", AWKWARD)
def test_awkward_texts_survive(text):
    assert ENCODING.decode(ENCODING.encode(text)) == text


@pytest.mark.parametrize("text", AWKWARD)
def test_awkward_texts_survive_an_encoding_that_knows_nothing(text):
    bare = BytePairEncoding("", ())
    assert bare.decode(bare.encode(text)) == text
    assert set(bare.segment(text)) <= {SPACE, *BYTES}


def test_the_turkish_letters_stay_apart():
    """İ, I, ı and i are four letters; none is put into lower case on the way."""
    turkish = BytePairEncoding.train(["Işık İzmir iyi ılık"], 0)
    assert turkish.segment("İIıi") == ["▁", "İ", "I", "ı", "i"]
    assert ENCODING.segment("İ") == ["▁", "<0xC4>", "<0xB0>"]


def test_special_symbols_cannot_be_written_by_a_text():
    assert not {0, 1, 2} & set(ENCODING.encode("<pad><s></s>"))


def test_the_pieces_of_many_texts_are_those_of_each(language):
    _, encoding, unread = language
    texts = ["", *unread, "a" * 30, " \u200b\n"]
    assert encoding.pieces_in(texts) == {piece for text in texts for piece in encoding.segment(text)}


def test_a_word_never_seen_is_spelled_and_a_frequent_one_is_whole():
    pieces = [ENCODING.pieces[i] for i in ENCODING.encode("I xqzz")]
    assert pieces[0] == "▁I" and len(pieces) > 2


def test_overlapping_pairs_join_from_the_left_in_a_word_too():
    encoding = BytePairEncoding("abx", [("a", "a")])
    assert encoding.segment("aaa") == ["▁", "aa", "a"]
    assert encoding.segment("xaaaab") == ["▁", "x", "aa", "aa", "b"]


def test_a_pair_of_symbols_is_not_found_inside_longer_ones():
    """Replacing "a b" in the string "x a b" by "ab" is not BPE: in "xa b" there is no symbol a."""
    encoding = BytePairEncoding("abx", [("x", "a"), ("a", "b")])
    assert encoding.segment("xab ab") == ["▁", "xa", "b", "▁", "ab"]


def test_the_steps_of_a_word():
    encoding = BytePairEncoding("hugs", [("u", "g"), ("h", "ug"), ("▁", "hug"), ("s", "s")])
    assert encoding.spell(" hugs") == ["▁", "h", "u", "g", "s"]
    assert list(encoding.steps(" hugs")) == [
        (0, ("u", "g"), ("▁", "h", "ug", "s")),
        (1, ("h", "ug"), ("▁", "hug", "s")),
        (2, ("▁", "hug"), ("▁hug", "s")),
    ]
    assert list(encoding.steps(" sh")) == []
    assert encoding.spell("é▁") == ["<0xC3>", "<0xA9>", "<0xE2>", "<0x96>", "<0x81>"]


@given(st.text(max_size=30), st.integers(0, 400))
def test_fewer_merges_are_the_first_steps_of_more(text, count):
    """What the explorer's slider rests on: a word's steps end before the first merge not yet learned."""
    few = ENCODING.with_merges(count)
    for word in words(" " + text):
        shown = []
        for step in ENCODING.steps(word):
            if step.rank >= count:
                break
            shown.append(step)
        assert list(few.steps(word)) == shown
    assert few.pieces == ENCODING.pieces[: len(few)]


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
    with pytest.raises(UnicodeEncodeError, match="surrogates not allowed"):
        ENCODING.encode("a\ud83d")
    with pytest.raises(ValueError, match="merges is -1"):
        BytePairEncoding.train(["a"], -1)
    with pytest.raises(ValueError, match=f"id is {len(ENCODING)}; allowed are 0 to {len(ENCODING) - 1}"):
        ENCODING.decode([len(ENCODING)])
    with pytest.raises(ValueError, match="count is 401; allowed are 0 to 400"):
        ENCODING.with_merges(401)
    with pytest.raises(ValueError, match="alphabet holds 'ab'; allowed are single characters"):
        BytePairEncoding(["ab"], [])
    with pytest.raises(ValueError, match=r"merges\[1\] joins 'bc'; allowed are characters and what earlier"):
        BytePairEncoding("abc", [("a", "b"), ("a", "bc")])


HINDI = "यह एक छोटी कहानी है। हिन्दी में शब्दों के ऊपर मात्राएँ लगती हैं और विकास की बातें होती हैं।"


@pytest.mark.parametrize(
    "word", ["हिन्दी", "cafe\u0301", "עִבְרִית", "ไทยที่", "naïve", "x²", "١٢٣", "e\u20dd", "k\U000e0101"]
)
def test_a_word_keeps_the_marks_of_its_letters(word):
    assert list(words(f" {word} {word}, {word}")) == [f" {word}", f" {word}", ",", f" {word}"]


def test_a_text_whose_letters_carry_marks_gives_merges_like_any_other():
    encoding = BytePairEncoding.train([HINDI] * 2, 40)
    assert len(encoding.merges) == 40
    assert encoding.decode(encoding.encode(HINDI)) == HINDI
