import itertools
from functools import cache

import numpy as np
import pytest
import torch

from course_experiments.attention import at_work
from course_experiments.attention.at_work import train_application
from course_lib.applications.speller import BANDS, LETTERS, Speller, hear, log_spectrogram, spelled
from course_lib.applications.story_reader import (
    babi_pairs,
    babi_vocabulary,
    found_support,
    reading,
    sentence_weights,
)
from course_lib.applications.writing import Written, write
from course_lib.data.babi import StoryQuestion, load_babi
from course_lib.data.special import BEGIN, SPECIAL
from course_lib.data.spoken_digits import load_spoken_digits
from course_lib.metrics.alignment import forward_share
from course_lib.metrics.edits import edit_distance
from course_lib.seq2seq.model import EncoderDecoder

QUESTION = StoryQuestion(("Mary went out.", "Bob sat."), "Who sat?", "Bob", (1,))


def test_story_and_question_become_words_that_know_their_sentence():
    words, places = reading(QUESTION)
    assert words == ["mary", "went", "out", ".", "bob", "sat", ".", "who", "sat", "?"]
    assert places == [0, 0, 0, 0, 1, 1, 1, 2, 2, 2]


def test_the_training_words_cover_the_test_questions():
    task = load_babi(1)
    vocabulary = babi_vocabulary(task.train)
    source, target = babi_pairs(task.test, vocabulary)[0]
    assert [vocabulary[i] for i in source] == reading(task.test[0])[0]
    assert [vocabulary[i] for i in target] == ["<s>", task.test[0].answer, "</s>"]


def test_words_are_added_up_to_sentences_and_the_question_does_not_count_as_support():
    weights = np.array([[0.05] * 4 + [0.1] * 3 + [0.1, 0.1, 0.3]])
    assert sentence_weights(QUESTION, weights[0]) == pytest.approx([0.2, 0.3, 0.5])
    assert found_support(QUESTION, Written(("bob",), weights))
    elsewhere = np.array([[0.2] * 4 + [0.02] * 3 + [0.04, 0.05, 0.05]])
    assert not found_support(QUESTION, Written(("bob",), elsewhere))
    with pytest.raises(ValueError, match="written has no weights"):
        found_support(QUESTION, Written(("bob",), None))


@pytest.mark.usefixtures("unchecked")
def test_a_summary_is_judged_sentence_by_sentence(monkeypatch):
    stories = (("Mary went out.", "Bob sat.", "Bob left."), ("Bob sat.",), ("Bob sat.", "Mary went out."))
    questions = [StoryQuestion(story, "Who sat?", "Bob", (0,)) for story in stories]
    texts = ("mary went out . bob sat . bob left .", "bob sat .", "mary flew away .")
    said = [Written((*text.split(), "</s>"), None) for text in texts]
    monkeypatch.setattr(at_work, "summarise", lambda *_: said)
    scores = at_work.measure_summariser(None, (), questions)
    assert scores.error == pytest.approx(2 / 3)  # one says too much, one is wrong
    assert scores.missing == pytest.approx(2 / 5)  # both sentences of the last story
    assert scores.untrue == pytest.approx(2 / 5)  # one is overtaken, one was never said


def test_a_pure_tone_lights_the_band_of_its_frequency():
    time = np.arange(4000) / 8000
    mel = 2595 * np.log10(1 + 4000 / 700)
    for frequency in (500, 1000, 2000):
        frames = log_spectrogram(np.sin(2 * np.pi * frequency * time).astype(np.float32))
        assert frames.shape == ((4000 - 256) // 80 + 1, BANDS)
        centre = 2595 * np.log10(1 + frequency / 700) / mel * (BANDS + 1) - 1
        assert abs(frames.mean(dim=0).argmax().item() - centre) <= 1


def test_loudness_is_taken_out():
    wave = load_spoken_digits().test[0].wave
    torch.testing.assert_close(log_spectrogram(wave), log_spectrogram(wave * 0.5), atol=2e-2, rtol=0)


def test_a_clip_without_one_window_is_refused():
    with pytest.raises(ValueError, match="wave has 255 samples; at least 256"):
        log_spectrogram(np.zeros(255, np.float32))


@pytest.mark.parametrize("length", [9, 10, 11, 12])
def test_padding_changes_neither_letters_nor_weights_of_a_speller(length):
    torch.manual_seed(0)
    model = Speller(len(LETTERS), 8, 8).eval()
    short, long = torch.randn(length, BANDS), torch.randn(31, BANDS)
    target = torch.tensor([spelled("six")])
    logits, weights = model(hear([short]), target)
    both_logits, both_weights = model(hear([short, long]), target.repeat(2, 1))
    torch.testing.assert_close(both_logits[:1], logits)
    assert weights.shape[-1] == length // 4
    torch.testing.assert_close(both_weights[:1, :, : length // 4], weights)
    assert not both_weights[0, :, length // 4 :].any()


def test_writing_greedily_equals_teacher_forcing_with_the_own_words():
    torch.manual_seed(0)
    names = [*SPECIAL, "a", "b", "c"]
    model = EncoderDecoder("bahdanau", len(names), 8, 8).eval()
    source = torch.tensor([[3, 4, 5, 3], [4, 5, 0, 0]])
    for row, written in enumerate(write(model, source, names, limit=5)):
        ids = [names.index(token) for token in written.tokens]
        logits, weights = model(source[row : row + 1], torch.tensor([[BEGIN, *ids[:-1]]]))
        assert logits[0].argmax(dim=-1).tolist() == ids
        kept = int((source[row] != 0).sum())
        np.testing.assert_allclose(written.weights, weights[0, :, :kept].detach(), atol=1e-6)


def test_text_ends_before_the_end_token():
    assert Written(("s", "i", "x", "</s>"), None).text == ("s", "i", "x")
    assert Written(("s", "i"), None).text == ("s", "i")


def test_moving_on_is_counted():
    assert forward_share(np.eye(4)) == 1
    assert forward_share(np.eye(4)[::-1]) == 0
    assert forward_share(np.eye(3)[[0, 2, 1]]) == 0.5


def test_edit_distance_equals_its_definition():
    @cache
    def defined(a, b):
        if not a or not b:
            return len(a) + len(b)
        return min(defined(a[1:], b) + 1, defined(a, b[1:]) + 1, defined(a[1:], b[1:]) + (a[0] != b[0]))

    words = ["".join(w) for n in range(4) for w in itertools.product("ab", repeat=n)] + ["kitten", "sitting"]
    for a, b in itertools.product(words, repeat=2):
        assert edit_distance(a, b) == defined(a, b)


def test_an_unknown_application_is_refused(tmp_path):
    with pytest.raises(ValueError, match="name is 'poet'; allowed are 'reader'"):
        train_application("poet", tmp_path)
