import torch

from course_lib.applications.painter import canvas_film
from course_lib.visual_attention.draw import Draw


def test_a_film_shows_the_chance_of_ink_and_where_windows_lie() -> None:
    torch.manual_seed(0)
    model, pictures = Draw(6, 8, steps=3, hidden_size=7, window_size=3), torch.rand(2, 6, 8).round()
    painting = model(pictures)
    trace = canvas_film(painting, ("a", "b"), pictures=pictures)
    assert trace.kinds == ("canvas", "reads", "writes")
    assert trace.maps.shape == (2, 3, 3, 6, 8)
    torch.testing.assert_close(torch.tensor(trace.maps[:, :, 0]), painting.canvases.sigmoid().detach())
    for kind, windows in ((1, painting.reads), (2, painting.writes)):
        sums = torch.tensor(trace.maps[:, :, kind]).sum((2, 3))
        torch.testing.assert_close(sums, torch.full((2, 3), 9.0))  # 3 × 3 filters, each of weight 1
        expected = torch.einsum("bnh,bmw->bhw", windows[1].rows, windows[1].columns)
        torch.testing.assert_close(torch.tensor(trace.maps[:, 1, kind]), expected.detach())


def test_without_windows_or_encoder_only_what_there_is_is_shown() -> None:
    torch.manual_seed(0)
    whole = Draw(6, 8, steps=2, hidden_size=7, window_size=None)
    assert canvas_film(whole(torch.zeros(1, 6, 8)), ("a",)).kinds == ("canvas",)
    windows = Draw(6, 8, steps=2, hidden_size=7, window_size=3)
    new = windows.invent(1, torch.Generator().manual_seed(0))
    assert canvas_film(new, ("a",)).kinds == ("canvas", "writes")
