import pytest
import torch

from course_lib.applications.glimpser import eye_path, seen_on
from course_lib.visual_attention.ram import RecurrentAttentionModel


def test_what_is_seen_is_sharp_at_the_place_and_means_of_blocks_around() -> None:
    picture = torch.rand(24, 24)
    seen = seen_on(picture, torch.zeros(2), size=4, scales=2)
    torch.testing.assert_close(seen[10:14, 10:14], picture[10:14, 10:14], rtol=0, atol=1e-4)
    torch.testing.assert_close(seen[8:10, 8:10], picture[8:10, 8:10].mean().expand(2, 2), rtol=0, atol=1e-4)
    outside = torch.ones(24, 24, dtype=torch.bool)
    outside[8:16, 8:16] = False
    assert not seen[outside].any()


@pytest.mark.parametrize("place", [(-1.0, -1.0), (1.0, 1.0), (5.0, -7.0)])
def test_at_and_beyond_a_border_only_what_lies_on_the_picture_is_drawn(place) -> None:
    picture = torch.rand(24, 24)
    seen = seen_on(picture, torch.tensor(place), size=4, scales=1)
    here = seen > 0
    torch.testing.assert_close(seen[here], picture[here], rtol=0, atol=1e-4)
    assert int(here.sum()) == (4 if max(map(abs, place)) == 1 else 0)


def test_the_ring_is_where_the_eye_is_and_the_steps_say_the_answers() -> None:
    torch.manual_seed(0)
    model = RecurrentAttentionModel(10, size=4, scales=2, glimpses=4, hidden_size=16)
    pictures = torch.rand(2, 30, 30)
    trace = eye_path(model, pictures, ("one", "two"), torch.Generator().manual_seed(3))
    run = model(pictures, torch.Generator().manual_seed(3))
    for i in range(2):
        for t in range(4):
            row, column = divmod(int(trace.maps[i, t, 0].argmax()), 30)
            expected = (run.places[i, t] + 1) / 2 * 30 - 0.5
            assert abs(row - expected[0]) <= 0.51 and abs(column - expected[1]) <= 0.51
            assert trace.steps[i][t].startswith(f"{t + 1}: says {int(run.logits[i, t].argmax())}")
