import numpy as np
import pytest
import torch

from course_lib.figures import recall
from course_lib.figures.recall import gallery, recall_picture

MEMORIES = torch.randint(2, (5, 784), generator=torch.Generator().manual_seed(0)).double() * 2 - 1


@pytest.fixture
def shown(monkeypatch):
    """The last figure that became a picture."""
    figures = []
    of = recall.Picture.of
    monkeypatch.setattr(
        recall.Picture, "of", lambda figure, alt: figures.append(figure) or of(figure, alt, dpi=20)
    )
    return figures


def test_a_gallery_shows_every_picture_under_its_column(shown):
    picture = gallery({"stored": MEMORIES[:2], "half": [MEMORIES[2]] * 2}, ["$a$", "b"], "two", "alt")
    (figure,) = shown
    images = [axes.images[0] for axes in figure.axes]
    for image, expected in zip(images, (0, 1, 2, 2), strict=True):
        np.testing.assert_array_equal(image.get_array(), MEMORIES[expected].reshape(28, 28))
    assert {image.get_clim() for image in images} == {(-1, 1)}
    assert [axes.get_title() for axes in figure.axes[:2]] == ["$a$", "b"]
    assert [axes.get_ylabel() for axes in figure.axes[::2]] == ["stored", "half"]
    assert picture.alt == "alt"
    with pytest.raises(ValueError, match="row 'stored' has 2 pictures for 1 columns"):
        gallery({"stored": MEMORIES[:2]}, ["a"], "x", "alt")


def rows(figure):
    """Name of a row -> its pictures, read off the figure."""
    width = len(figure.axes) // 4
    pictures = [axes.images[0].get_array().reshape(-1) for axes in figure.axes]
    return {
        figure.axes[i].get_ylabel(): np.stack(pictures[i : i + width]) for i in range(0, 4 * width, width)
    }


def test_at_the_start_nothing_is_repaired_and_at_the_end_few_memories_are_whole(shown):
    start = recall_picture(MEMORIES[:2], hidden=14, noise=0, step=0, steps=5, seed=0)
    end = recall_picture(MEMORIES[:2], hidden=14, noise=0, step=5, steps=5, seed=0)
    before, after = map(rows, shown)
    for name in ("shown", "Hebb", "softmax"):
        np.testing.assert_array_equal(before[name][:, :392], MEMORIES[:2, :392])
        assert (before[name][:, 392:] == -1).all()
    np.testing.assert_array_equal(after["Hebb"], MEMORIES[:2])
    np.testing.assert_allclose(after["softmax"], MEMORIES[:2], atol=1e-6)
    ink = (MEMORIES[:2, 392:] == 1).double().mean().item() / 2  # paper stands there
    assert f"Hebb: {ink:.1%} of the units wrong; softmax: {ink:.1%}" in start.alt
    assert "2 stored, step 5 of 5, 14 rows hidden, 0 % turned" in end.alt
    assert "Hebb: 0.0% of the units wrong; softmax: 0.0%" in end.alt


def test_noise_turns_its_share_of_the_units_and_four_memories_are_shown(shown):
    recall_picture(MEMORIES, hidden=0, noise=100, step=0, steps=5, seed=0)
    recall_picture(MEMORIES, hidden=0, noise=30, step=0, steps=5, seed=0)
    all_turned, some = map(rows, shown)
    np.testing.assert_array_equal(all_turned["shown"], -MEMORIES[:4])
    assert 0.27 < (some["shown"] != MEMORIES[:4].numpy()).mean() < 0.33
    with pytest.raises(ValueError, match="step is 6; allowed are 0 to 5"):
        recall_picture(MEMORIES, hidden=0, noise=0, step=6, steps=5, seed=0)
