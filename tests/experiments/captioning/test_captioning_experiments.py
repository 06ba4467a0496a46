"""What is measured of captioners, each measure on a case small enough to count by hand."""

import json

import numpy as np
import pytest
import torch

from course_experiments.captioning import learning, scenes
from course_experiments.captioning.learning import SIZES, Learner, batches, new_scenes, varied
from course_experiments.captioning.measures import (
    bleu_by_length,
    changes,
    content_words,
    gradient_maps,
    looks,
    places_inside,
    quality,
)
from course_experiments.captioning.parts import ASKED, judged, questions
from course_experiments.protocol import Budget
from course_lib.data import load_sketches
from course_lib.data.captioned_scenes import KINDS, Thing, captions_of, drawings, is_held_out
from course_lib.data.labelled_pictures import LabelledPictures
from course_lib.metrics.text import corpus_bleu
from course_lib.visual_attention import ATTENTIONS, PartClassifier

FISH, STAR = Thing("fish", "red", (0, 0)), Thing("star", "blue", (2, 34))


def captioner(name):
    torch.manual_seed(0)
    return Learner(name).captioner.eval()


def test_content_words_are_nouns_and_colours_with_their_things():
    found = list(content_words("there is a red fish and a star", (FISH, STAR)))
    assert found == [(3, "colours", FISH), (4, "nouns", FISH), (7, "nouns", STAR)]


def test_places_lie_in_a_box_by_their_middles():
    inside = places_inside(STAR, size=28, side=64, grid=8)
    # Middles are 4, 12, … 60; the box covers rows 2 to 29 and columns 34 to 61.
    by_hand = torch.zeros(8, 8, dtype=torch.bool)
    by_hand[0:4, 4:8] = True
    assert torch.equal(inside, by_hand)
    by_hand[4, 3:8] = by_hand[0:5, 3] = True
    assert torch.equal(places_inside(STAR, size=28, side=64, grid=8, margin=1), by_hand)


def test_bleu_of_every_length():
    said, told = ["a red fish and a star", "a bus"], [["a red fish and a blue star"], ["a bus in red"]]
    assert bleu_by_length(said, told)[3] == pytest.approx(corpus_bleu(said, told, tokenize="none").score)
    ones = bleu_by_length(["a b", "c"], [["a b"], ["d"]])
    assert ones[0] == pytest.approx(100 * 2 / 3) and ones[1] == pytest.approx(100 * (2 / 3) ** 0.5)
    assert ones[2] == ones[3] == 0  # no word triple at all


def test_changes_of_maps_by_hand():
    weights = torch.tensor([[[1.0, 0.0], [0.25, 0.75], [0.25, 0.75], [0.0, 1.0]]])
    found = changes(weights, torch.tensor([[True, True, True, False]]))
    assert found == {"change": pytest.approx(37.5), "moved": pytest.approx(50)}


def test_maps_that_differ_by_nothing_are_one_map():
    weights = torch.tensor([[[0.5, 0.5 - 1e-12], [0.5 - 1e-12, 0.5]]], dtype=torch.float64)
    assert changes(weights, torch.ones(1, 2, dtype=torch.bool))["moved"] == 0


@pytest.mark.parametrize("name", ["none", "soft"])
def test_a_gradient_map_is_the_slope_of_a_word(name):
    model = captioner(name).double()
    tokens = model.encode(["a red fish"])
    pixels = torch.rand(1, 3, 64, 64, generator=torch.Generator().manual_seed(0)).double()
    maps = gradient_maps(model, pixels, tokens)
    place, step, width = 9, 1, 1e-6
    with torch.no_grad():
        annotations = model.encoder(pixels)

        def log_probability(moved):
            state = model.decoder.start(moved)
            for word in tokens[:, : step + 1].unbind(dim=1):
                log_probs, state = model.step(word, state)
            return log_probs[0, tokens[0, step + 1]]

        slopes = []
        for feature in range(annotations.shape[2]):
            nudge = torch.zeros_like(annotations)
            nudge[0, place, feature] = width
            difference = log_probability(annotations + nudge) - log_probability(annotations - nudge)
            slopes.append(difference / (2 * width))
    assert maps.shape == (1, 4, 64)
    assert maps[0, step, place].item() == pytest.approx(torch.stack(slopes).norm().item(), rel=1e-3)


def test_a_captioner_that_is_always_right_gets_full_marks(monkeypatch):
    shown = new_scenes("validation", 8, False)
    right = [captions_of(things)[-1] for things in shown.things]
    monkeypatch.setattr("course_experiments.captioning.measures.write_captions", lambda *_: right)
    marks = quality(captioner("soft"), shown, 1)
    assert marks["exact"] == 100 and marks["bleu-4"] == pytest.approx(100)
    assert quality(captioner("soft"), shown, 1)["cider"] > 25  # no caption is like all wordings


def test_chance_is_the_share_of_places_in_a_thing():
    found = looks(captioner("hard"), new_scenes("validation", 20, True))
    assert 12 / 64 <= found["chance"] / 100 <= 16 / 64 and 0 <= found["moved"] <= 100
    assert "change" not in looks(captioner("none"), new_scenes("validation", 4, True))


def test_new_scenes_are_of_drawings_and_pairs_as_asked():
    for held_out in (False, True):
        shown = new_scenes("test", 20, held_out)
        assert sorted(map(len, shown.things)) == [2] * 10 + [3] * 10
        assert all(is_held_out(t.kind, t.colour) == held_out for things in shown.things for t in things)


def test_drawings_are_varied_within_their_box():
    pictures = drawings(load_sketches(), "train")
    few = LabelledPictures(pictures.images[:40], pictures.labels[:40])
    moved = varied(few, torch.Generator().manual_seed(0))
    assert moved.images.shape == few.images.shape and np.array_equal(moved.labels, few.labels)
    assert not np.array_equal(moved.images, few.images)
    ink = moved.images.astype(float).mean(axis=(1, 2)) / few.images.mean(axis=(1, 2))
    assert ink.min() > 0.4 and ink.max() < 1.2  # smaller, never larger


def test_an_epoch_is_the_same_whenever_it_comes(monkeypatch):
    monkeypatch.setattr(learning, "EPOCH", 2)
    model = captioner("soft")
    one, same, other = (list(batches(model, 0, epoch)) for epoch in (3, 3, 4))
    for first, second in zip(one, same, strict=True):
        assert torch.equal(first.pixels, second.pixels) and torch.equal(first.captions, second.captions)
    assert not torch.equal(one[0].pixels, other[0].pixels)


@pytest.mark.parametrize("name", ATTENTIONS)
def test_every_loss_can_be_made_small(name, monkeypatch):
    monkeypatch.setattr(learning, "EPOCH", 1)
    torch.manual_seed(0)
    learner = Learner(name)
    (batch,) = batches(learner.captioner, 0, 0)
    optimizer = torch.optim.Adam(learner.parameters(), 3e-3)
    losses = []
    for _ in range(12):
        optimizer.zero_grad()
        loss = learner.loss(batch)
        loss.backward()
        optimizer.step()
        losses.append(loss.item())
    run = learner.captioner(batch.pixels, batch.captions[:, :-1])
    assert run.logits.isfinite().all()
    if name != "hard":  # a surrogate's value means nothing
        assert losses[-1] < losses[0] - 0.5


def test_a_run_that_was_paused_goes_on_and_measures_every_seed(monkeypatch, tmp_path):
    monkeypatch.setattr(learning, "EPOCH", 1)
    monkeypatch.setattr(scenes, "EPOCH", 1)
    monkeypatch.setattr(scenes, "SCENES", 4)
    short = learning.Schedule(2, 1e-3, warmup=1, patience=2)
    monkeypatch.setattr(scenes, "learn", lambda *which: learning.learn(*which, schedule=short))
    assert scenes.run("soft", 2, Budget(tmp_path, 0)).paused
    outcome = scenes.run("soft", 2, Budget(tmp_path))
    (path,) = outcome.checkpoints
    found = {measured.id: measured for measured in outcome.measurements}
    assert path.exists() and found["captions-soft-curve-2"].spread is not None
    assert found["captions-soft-seen-greedy-bleu-1"].published == 70.7
    assert "held-out pairs, new drawings, beam 3" in found["captions-soft-held-out-beam-3-exact"].metric


def test_every_question_has_a_red_thing_and_the_answer_is_its_kind():
    asked = questions(drawings(load_sketches(), "test"), 20, np.random.default_rng(0))
    assert len(asked.pixels) == len(asked.red) == 20
    for pixels, kind, thing in zip(asked.pixels, asked.kinds, asked.red, strict=True):
        y, x = thing.corner
        box = pixels[:, y : y + asked.size, x : x + asked.size].flatten(1)
        assert thing.colour == ASKED and KINDS[kind] == thing.kind
        assert box[:, box.sum(dim=0).argmax()].argmax() == 0  # red is its strongest colour


def test_a_classifier_that_knows_nothing_is_right_by_chance_only():
    torch.manual_seed(0)
    network = PartClassifier(SIZES["channels"], 64, len(KINDS), 8).eval()
    found = judged(network, questions(drawings(load_sketches(), "test"), 60, np.random.default_rng(0)))
    assert found["right"] < 40 and found["chance"] == pytest.approx(22, abs=3)
    json.dumps(found)
