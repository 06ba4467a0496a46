"""What is learnt of photographs, what is left out, and how both are counted."""

import pytest
import torch

from course_experiments.captioning import photographs
from course_experiments.captioning.photographs import (
    FEATURES,
    GRID,
    by_heart,
    memorise,
    shared_words,
    told_and_asked,
    untrained,
)

TOLD = [["a red bus", "the bus"], ["two dogs run"], ["a cat on a mat"]]


def annotations(count, seed=0):
    return torch.randn(count, GRID**2, FEATURES, generator=torch.Generator().manual_seed(seed))


def test_captions_and_words_are_counted(monkeypatch):
    said = ["the bus", "two cats run", ""]
    monkeypatch.setattr(photographs, "write_captions", lambda *_: said)
    captioner = untrained(0, TOLD)
    assert by_heart(captioner, annotations(3), TOLD) == pytest.approx(1 / 3)
    assert shared_words(captioner, annotations(3), TOLD) == pytest.approx((1 + 2 / 3 + 0) / 3)


def test_a_pass_goes_over_every_caption_once(monkeypatch):
    monkeypatch.setattr(photographs, "BATCH", 3)
    seen = []
    captioner = untrained(0, TOLD)
    captioner.register_forward_pre_hook(lambda _, given: seen.append(given[1]))
    assert len(list(memorise(captioner, annotations(3), TOLD, passes=2))) == 4  # of 3 captions, and of 1
    captions = captioner.encode([caption for told in TOLD for caption in told])[:, :-1]
    for first in (0, 2):
        assert sorted(torch.cat(seen[first : first + 2]).tolist()) == sorted(captions.tolist())


def test_what_is_learnt_is_known_by_heart_and_what_is_left_out_is_not():
    places = annotations(3)
    assert told_and_asked(places, TOLD, range(3), range(3)) == (1, 1)
    exact, words = told_and_asked(places, TOLD, [0, 2], [1])
    assert exact == 0 and words == 0  # no word of "two dogs run" was learnt


def test_each_of_seven_is_left_out_once_and_eleven_of_all(monkeypatch):
    asked = []

    def pretend(places, told, learnt, which):
        asked.append((len(places), sorted(learnt), sorted(which)))
        return (1.0, 1.0) if set(learnt) & set(which) else (0.0, 0.5)

    monkeypatch.setattr(photographs, "annotation_vectors", lambda album: torch.zeros(len(album), 1, 1))
    monkeypatch.setattr(photographs, "told_and_asked", pretend)
    values = {measured.id: measured.value for measured in photographs.measure()}
    everything = {7: list(range(7)), 99: list(range(99))}
    assert [(n, w) for n, learnt, w in asked if learnt == w] == [(7, everything[7]), (99, everything[99])]
    apart = [(n, learnt, w) for n, learnt, w in asked if learnt != w]
    assert all(sorted(learnt + w) == everything[n] for n, learnt, w in apart)
    assert [w for n, _, w in apart if n == 7] == [[i] for i in range(7)]
    assert [len(w) for n, _, w in apart if n == 99] == [11]
    assert values["photographs-all-trained-on-exact"] == 100
    assert values["photographs-seven-left-out-words"] == 50
