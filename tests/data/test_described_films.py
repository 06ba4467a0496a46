import pytest
import torch

from course_lib.data.described_films import MOTIONS, SHOWN, SIDE, SPEED, WORDS, describe_films, sentence
from course_lib.data.mnist import load_mnist


def middle(frame: torch.Tensor) -> torch.Tensor:
    """Return row and column of the middle of the ink."""
    ink = frame.clamp(min=1e-9)
    axis = torch.arange(float(SIDE))
    return torch.stack([(ink.sum(1) * axis).sum(), (ink.sum(0) * axis).sum()]) / ink.sum()


def test_the_words_say_which_way_the_ink_moves() -> None:
    films = describe_films(load_mnist().train, 60, torch.Generator().manual_seed(0))
    assert films.frames.shape == (60, 2 * SHOWN, 1, SIDE, SIDE)
    for frames, words, first in zip(
        films.frames, films.sentences.tolist(), films.firsts.tolist(), strict=True
    ):
        ways = [WORDS[words[4]], WORDS[words[9]]]
        shown = ways if first == 0 else ways[::-1]
        for half, way in zip(frames.split(SHOWN), shown, strict=True):
            moved = middle(half[-1, 0]) - middle(half[0, 0])
            expected = torch.tensor(MOTIONS[way]) * SPEED * (SHOWN - 1)
            torch.testing.assert_close(moved, expected.float(), atol=1e-3, rtol=0)


def test_no_ink_is_lost_at_a_border_and_every_frame_of_a_digit_has_the_same() -> None:
    films = describe_films(load_mnist().train, 40, torch.Generator().manual_seed(1))
    ink = films.frames.sum(dim=(2, 3, 4)).unflatten(1, (2, SHOWN))
    torch.testing.assert_close(ink, ink[:, :, :1].expand_as(ink), rtol=1e-4, atol=1e-4)


def test_a_sentence_in_words() -> None:
    words = [WORDS[i] for i in sentence((3, 7), ("left", "up"))]
    assert words == ["<s>", "the", "three", "moves", "left", "and", "the", "seven", "moves", "up", "</s>"]


def test_the_lesser_digit_is_named_first_whichever_is_shown_first() -> None:
    films = describe_films(load_mnist().train, 300, torch.Generator().manual_seed(2))
    assert (films.sentences[:, 2] < films.sentences[:, 7]).all()
    assert 100 < films.firsts.sum() < 200
    assert films.sentences[:, [4, 9]].unique().numel() == len(MOTIONS)


@pytest.mark.parametrize(
    ("digits", "motions", "message"),
    [
        ((7, 3), ("left", "up"), "the lesser first"),
        ((3, 3), ("left", "up"), "the lesser first"),
        ((3, 10), ("left", "up"), "two of 0 to 9"),
        ((3, 7), ("left", "sideways"), "motion is 'sideways'; allowed are 'left'"),
    ],
)
def test_what_cannot_be_said_is_refused(digits, motions, message) -> None:
    with pytest.raises(ValueError, match=message):
        sentence(digits, motions)


def test_no_films_are_refused() -> None:
    with pytest.raises(ValueError, match="count is 0"):
        describe_films(load_mnist().train, 0, torch.Generator())
