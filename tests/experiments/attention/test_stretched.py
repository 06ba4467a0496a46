import itertools

import pytest
import torch

from course_experiments.attention.stretched import Learner, learning_curve, with_end
from course_lib.data.slow_words import SYMBOLS, slow_words, stretch, stretched_batches


def heard(frames):
    """What is said: neighbours that are equal count once, silence counts nothing."""
    letters = [SYMBOLS[frame] for frame, _ in itertools.groupby(frames)]
    return "".join(letter for letter in letters if letter != "-")


def test_a_stretched_word_can_be_read_back():
    generator = torch.Generator().manual_seed(0)
    words = slow_words()
    for word in ("all", "bookkeeper", *words[::50]):
        frames = stretch(word, generator)
        assert heard(frames) == word
        assert len(word) <= len(frames) <= 4 * len(word)


def test_batches_hold_frames_and_letters_and_are_drawn_from_the_seed():
    (source, target), again = next(stretched_batches(slow_words(), 8, 1, seed=3)), None
    again = next(stretched_batches(slow_words(), 8, 1, seed=3))
    assert torch.equal(source, again[0]) and torch.equal(target, again[1])
    for frames, letters in zip(source.tolist(), target.tolist(), strict=True):
        assert heard([f for f in frames if f]) == "".join(SYMBOLS[i] for i in letters if i)


def test_the_end_stands_after_the_last_symbol():
    target = torch.tensor([[5, 6, 7], [5, 0, 0]])
    assert with_end(target).tolist() == [[5, 6, 7, 2], [5, 2, 0, 0]]


@pytest.mark.parametrize("way", ["soft", "hard, no baseline", "hard, baseline", "online, baseline"])
def test_every_way_learns(way):
    curve = learning_curve(Learner(way), slow_words(), updates=15, measured=1)
    assert list(curve) == [0, 15]
    assert curve[15] < curve[0] - 0.2


@pytest.mark.usefixtures("unchecked")
def test_an_unknown_way_is_refused():
    with pytest.raises(ValueError, match="way is 'loud'; allowed are 'soft'"):
        Learner("loud")
