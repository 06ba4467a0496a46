"""A name that a translator hardly knows is lent another one, and given back."""

import re
import unicodedata

import numpy as np
import pytest

from course_lib.applications.names import OFTEN, PEOPLE, TOWNS, Lent, learned_words, lend_names, missing
from course_lib.applications.translator import load_translator
from course_lib.data import SentencePair, load_tatoeba
from course_lib.text.bpe import SPACE

TEXT = (
    "I come from Paris, in the dear Boston. My mother likes a friend, and Tom lives: is Mary a friend of O?"
)
KNOWN = frozenset({*re.findall(r"\w+", TEXT), "my", "In", "The", "s", "don", "t"})
LARGE = ("bahdanau_large", "transformer_large")


@pytest.mark.parametrize(
    ("typed", "read", "names"),
    [
        ("My friend is Anna.", "My friend is Tom.", {"Tom": "Anna"}),
        ("Anna is in Berlin.", "Tom is in Boston.", {"Tom": "Anna", "Boston": "Berlin"}),
        ("In Berlin lives Anna.", "In Boston lives Tom.", {"Boston": "Berlin", "Tom": "Anna"}),
        ("Anna likes Anna", "Tom likes Tom", {"Tom": "Anna"}),
        ("Anna's mother", "Tom's mother", {"Tom": "Anna"}),
        ("Tom likes Anna's friend.", "Tom likes Mary's friend.", {"Mary": "Anna"}),  # Tom is taken
        ("Angela Merkel lives", "Tom lives", {"Tom": "Angela Merkel"}),
        ("Angela, Max and Kim", "Tom, Mary and Boston", {"Tom": "Angela", "Mary": "Max", "Boston": "Kim"}),
        ("O'Brien's friend", "Tom's friend", {"Tom": "O'Brien"}),  # O is known, Brien is not
        ("Jean-Luc is in", "Tom is in", {"Tom": "Jean-Luc"}),
        ("\u201cAnna\u201d is Kim\u2019s friend", '"Tom" is Mary\'s friend', {"Tom": "Anna", "Mary": "Kim"}),
        ("I come\r\nfrom  Berlin", "I come from Tom", {"Tom": "Berlin"}),
        ("ANNA is Élodie", "Tom is Mary", {"Tom": "ANNA", "Mary": "Élodie"}),
        (unicodedata.normalize("NFD", "Zoé lives"), "Tom lives", {"Tom": "Zoé"}),
        ("Ольга lives", "Tom lives", {"Tom": "Ольга"}),
    ],
)
def test_another_name_is_lent_to_one_that_is_not_known(typed, read, names):
    assert lend_names(typed, KNOWN) == Lent(read, names)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "My friend Tom lives in Paris.",  # known
        "My mother likes anna.",  # in small letters
        "Mother, Dear",  # known in small letters
        "I don't  come ",  # as it came, spaces too
        "the B2B is 4U",  # no words
        "\U0001f600 日本",
    ],
)
def test_to_nothing_else(text):
    assert lend_names(text, KNOWN) == Lent(text, {})


def test_where_no_name_is_left_to_lend_a_name_stays():
    names = {"Tom": "Ann", "Mary": "Bo", "Boston": "Cy", "Tokyo": "Di"}
    assert lend_names("Ann, Bo, Cy, Di, Ed, Ann", KNOWN) == Lent("Tom, Mary, Boston, Tokyo, Ed, Tom", names)


@pytest.mark.parametrize(
    ("written", "own"),
    [
        ("Tom est là. C'est Tom !", "Anna est là. C'est Anna !"),
        ("la mère de Tom et celle de Mary", "la mère d'Anna et celle de Max"),
        ("Que Tom dise que Tom vient parce que Mary dort", "Qu'Anna dise qu'Anna vient parce que Max dort"),
        ("une Tomate, Tommy", "une Tomate, Tommy"),
        ("le Tom", "le Anna"),
        ("", ""),
    ],
)
def test_names_are_given_back_as_words(written, own):
    assert Lent("", {"Tom": "Anna", "Mary": "Max"}).give_back(written) == own


def test_a_name_with_marks_of_a_pattern_or_of_another_name_comes_back_as_it_is():
    assert Lent("", {"Tom": r"Mary\1", "Mary": "Tom"}).give_back("Tom Mary") == r"Mary\1 Tom"
    assert Lent("", {"Tom": "Élodie"}).give_back("de Tom") == "d'Élodie"
    assert Lent("Tom", {}).give_back("Tom et Mary") == "Tom et Mary"


def test_names_that_are_missing():
    assert missing(["Tom", "O'Brien", "Max"], "Maxime voit Tom et O'Brien.") == ["Max"]


def test_words_are_learned_but_for_names_that_are_seldom_and_only_copied():
    pairs = [
        *[SentencePair("Tom is here.", "Tom est ici.")] * 10,
        *[SentencePair("Kim is here.", "Kim est ici.")] * 9,
        SentencePair("Vienna", "Vienne"),
        SentencePair("Al and Al", "Al, Alain"),
        SentencePair("Bern", "Berne"),  # not as a word
        SentencePair("Taxi!", "Taxi !"),
        SentencePair("a taxi and a bar", "un taxi et un bar"),
        SentencePair("Rome", "Rome"),
        SentencePair("Rome", "la ville éternelle"),  # once not
    ]
    known = learned_words(pairs)
    assert {"Kim", "Al"} == {word for pair in pairs for word in pair.source.strip(".!").split()} - known
    assert {"Tom", "Vienna", "Bern", "Taxi", "taxi", "bar", "Rome", "here"} <= known


def names_in(text):
    """Return the capitalised words of a French sentence but its first."""
    return {word for word in re.findall(r"\w+", text)[1:] if word.istitle()}


@pytest.mark.parametrize("name", ["bahdanau", "bahdanau_large"])  # of each of the two encodings
def test_what_is_lent_is_one_piece_that_training_held_often(name):
    translator, trained = load_translator(name), [pair.source for pair in load_tatoeba("fra").train]
    for stand_in in PEOPLE + TOWNS:
        assert translator.source_pieces(f"I like {stand_in}")[-2:] == (SPACE + stand_in, "</s>")
        assert sum(stand_in in text for text in trained) >= OFTEN


@pytest.mark.parametrize("name", LARGE)
@pytest.mark.usefixtures("unchecked")
@pytest.mark.parametrize(
    ("typed", "with_known_names", "back"),
    [
        (
            "My name is Anna and I come from Berlin.",
            "My name is Tom and I come from Mary.",
            {"Tom": "Anna", "Mary": "Berlin"},
        ),
        (
            "Angela Merkel lives in Berlin.",
            "Tom lives in Boston.",
            {"Tom": "Angela Merkel", "Boston": "Berlin"},
        ),
        ("Where does Jean-Luc work?", "Where does Tom work?", {"Tom": "Jean-Luc"}),
    ],
)
def test_a_typed_sentence_is_translated_as_one_with_names_that_are_known(name, typed, with_known_names, back):
    """Held against the translation of the sentence that a person would write with these names."""
    translator = load_translator(name)
    (expected,) = translator.translate([with_known_names], 5, known_words=True)
    assert all(stand_in in expected.text for stand_in in back)
    text = expected.text
    for stand_in, own in back.items():
        text = text.replace(stand_in, own)
    found = translator.best(typed)
    assert found.text == text
    assert not names_in(found.text) & {"Tom", "Mary", "Boston"}
    assert found.log_prob == pytest.approx(expected.log_prob, abs=1e-4)
    own = {SPACE + stand_in: SPACE + name.replace(" ", SPACE) for stand_in, name in back.items()}
    assert found.source_pieces == tuple(own.get(piece, piece) for piece in expected.source_pieces)
    assert found.pieces == tuple(own.get(piece, piece) for piece in expected.pieces)


@pytest.mark.usefixtures("unchecked")
def test_a_translation_that_holds_the_name_is_chosen_though_others_are_better():
    """ "Ma sœur est plus vieille" is the best; somewhere below it stands one that says who she is."""
    lower = 0
    for name in LARGE:
        translator = load_translator(name)
        found = translator.search("My sister Tom is older than me.", 5).hypotheses
        holds = ["Tom" in translator.encoding.decode(each.tokens) and each.finished for each in found]
        assert ("Sophie" in translator.best("My sister Sophie is older than me.").text) == any(holds)
        lower += any(holds) and not holds[0]
    assert lower


@pytest.mark.usefixtures("unchecked")
def test_possessives_and_names_at_the_beginning_come_back():
    translator = load_translator("transformer_large")
    assert translator.best("Anna's mother is a teacher.").text.startswith("La mère d'Anna ")
    assert translator.best("Anna is tired.").text.startswith("Anna est fatigu")


@pytest.mark.usefixtures("unchecked")
@pytest.mark.parametrize("name", LARGE)
def test_nothing_is_lent_where_the_model_copies_the_name_itself(name):
    translator, copied = load_translator(name), 0
    for text in ("I have seen the Titanic.", "Mozart was a great composer.", "I read Shakespeare."):
        (alone,) = translator.translate([text], 5, known_words=True)
        if text.split()[0] in alone.text or text.split()[-1].strip(".") in alone.text:
            assert translator.best(text).text == alone.text
            copied += 1
    assert copied


def test_nothing_is_lent_to_what_is_known_or_no_name():
    translator = load_translator("bahdanau_large")
    for text in ("Tom lives in Paris.", "Vienna is a beautiful city.", "I like an annalukas."):
        assert translator.best(text).text == translator.translate([text], 5, known_words=True)[0].text
        assert translator.attention_trace(text).read_as == ()


@pytest.mark.usefixtures("unchecked")
@pytest.mark.parametrize("kind", ["cross", "encoder", "decoder"])
def test_the_attention_is_that_of_the_sentence_read_and_the_axes_show_the_names(kind):
    translator = load_translator("transformer_large")
    typed, read = "My name is Anna and I come from Berlin.", "My name is Tom and I come from Mary."
    own, other = (translator.attention_trace(text, kind=kind) for text in (typed, read))
    assert own.read_as == (("Anna", "Tom"), ("Berlin", "Mary")) and other.read_as == ()
    assert typed in own.title
    np.testing.assert_allclose(own.weights, other.weights, atol=1e-6)
    named = {"▁Tom": "▁Anna", "▁Mary": "▁Berlin"}
    for axis, plainly in ((own.keys, other.keys), (own.queries, other.queries)):
        assert axis == tuple(named.get(piece, piece) for piece in plainly)
        assert "▁Anna" in axis and "▁Tom" not in axis
    if kind != "encoder":
        written = {piece for row in own.candidates for piece in row}
        assert "▁Anna" in written and "▁Tom" not in written


def test_a_translation_that_is_given_and_what_is_measured_stay_as_they_are():
    translator, text = load_translator("bahdanau_large"), "My name is Anna."
    trace = translator.attention_trace(text, "Mon nom est Anna.")
    assert trace.read_as == () and trace.keys == translator.source_pieces(text)
    (plainly,) = translator.translate([text], 5, known_words=True)
    assert plainly.source_pieces == translator.source_pieces(text)
    assert plainly.text != translator.best(text).text
