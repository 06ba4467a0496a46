"""The shipped captioners: what they write, where they look, and what they refuse."""

import numpy as np
import pytest
import torch

from course_lib.applications.captioner import caption_trace, load_captioner, write_captions
from course_lib.data import load_sketches
from course_lib.data.captioned_scenes import COLOURS, captions_of, drawings, make_captioned_scenes
from course_lib.vision import to_pixels
from course_lib.visual_attention import ATTENTIONS


def scenes(count=30, things=2):
    pictures = drawings(load_sketches(), "test")
    return make_captioned_scenes(pictures, count, things, np.random.default_rng(3))


@pytest.mark.parametrize("name", ATTENTIONS)
def test_a_shipped_captioner_writes_sentences_of_the_grammar(name):
    shown = scenes(8)
    captions = write_captions(load_captioner(name), to_pixels(shown.images))
    assert all(3 <= len(caption.split()) <= 18 and " a " in f" {caption} " for caption in captions)
    words = [word for caption in captions for word in caption.split()]
    assert sum(word in COLOURS for word in words) >= 8


def test_soft_attention_names_colours_and_many_a_scene():
    shown = scenes()
    captions = write_captions(load_captioner("soft"), to_pixels(shown.images))
    right = [caption in captions_of(things) for caption, things in zip(captions, shown.things, strict=True)]
    assert np.mean(right) > 0.2
    named = [
        thing.colour in caption.split()
        for caption, things in zip(captions, shown.things, strict=True)
        for thing in things
    ]
    assert np.mean(named) > 0.8


def test_a_beam_finds_what_is_at_least_as_likely():
    shown, captioner = scenes(6), load_captioner("soft")
    pixels = to_pixels(shown.images)

    def log_probability(captions):
        tokens = captioner.encode(captions)
        with torch.no_grad():
            log_probs = captioner(pixels, tokens[:, :-1]).logits.log_softmax(dim=2)
        chosen = log_probs.gather(2, tokens[:, 1:].unsqueeze(2)).squeeze(2)
        return (chosen * (tokens[:, 1:] != 0)).sum().item()

    greedy, beam = (write_captions(captioner, pixels, size) for size in (1, 5))
    assert log_probability(beam) >= log_probability(greedy) - 1e-4


@pytest.mark.parametrize("name", ["soft", "hard"])
def test_a_trace_has_a_map_and_the_likeliest_words_for_every_word(name):
    shown, captioner = scenes(2), load_captioner(name)
    told = ["a red fish and a blue star", "a red fish"]
    trace = caption_trace(captioner, shown.images, told, ("one", "two"))
    assert trace.steps[0] == tuple(told[0].split()) and trace.steps[1] == (*told[1].split(), "", "", "", "")
    sums = trace.maps.sum(axis=(2, 3, 4))
    np.testing.assert_allclose(sums, [[1] * 7, [1] * 3 + [0] * 4], atol=1e-5)
    with torch.no_grad():
        state = captioner.start(to_pixels(shown.images[:1]))
        log_probs, step = captioner.look(torch.tensor([1]), state)
        best = log_probs.exp().topk(5)
        np.testing.assert_allclose(trace.maps[0, 0, 0].ravel(), step.weights[0], atol=1e-5)
    np.testing.assert_allclose(trace.candidate_probabilities[0, 0], best.values[0], atol=1e-5)
    assert trace.candidates[0][0] == tuple(captioner.words[i] for i in best.indices[0].tolist())


def test_what_cannot_be_shown_is_refused():
    with pytest.raises(ValueError, match="the captioner has no attention"):
        caption_trace(load_captioner("none"), scenes(1).images, ["a red fish"], ("one",))
    with pytest.raises(ValueError, match="name is 'firm'; allowed are 'none', 'soft', 'hard'"):
        load_captioner("firm")
    with pytest.raises(ValueError, match="pixels are 32×32; allowed is 64×64"):
        write_captions(load_captioner("soft"), torch.zeros(1, 3, 32, 32))
