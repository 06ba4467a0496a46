import numpy as np
import plotly.graph_objects as go
import pytest

from course_lib.figures import Surfaces, display

STEPS = (-1.0, 0.0, 1.0)
HEIGHTS = {"<b>bowl</b>": np.add.outer(np.square(STEPS), np.square(STEPS)), "$flat$": np.full((3, 3), 0.5)}


@pytest.fixture
def surfaces():
    return Surfaces(HEIGHTS, STEPS, "A < B", "a", "b", "loss (nats)", "A bowl and a plane.")


def test_plotly_gets_the_heights_on_one_scale_and_no_markup(surfaces):
    figure = surfaces.plotly()
    for trace, heights in zip(figure.data, HEIGHTS.values(), strict=True):
        assert np.asarray(trace.z).tolist() == heights.tolist()
        assert list(trace.x) == list(trace.y) == list(STEPS)
        assert (trace.cmin, trace.cmax) == (0, 2)
    assert figure.layout.scene.zaxis.range == figure.layout.scene2.zaxis.range == (0, 2)
    texts = [note.text for note in figure.layout.annotations] + [figure.layout.title.text]
    assert not any("<" in text or "$" in text for text in texts)


@pytest.mark.parametrize(("mode", "kinds"), [("auto", "b"), ("static", "p"), ("page", "l")])
def test_what_is_shown_in_each_mode(surfaces, mode, kinds, monkeypatch):
    shown = []
    monkeypatch.setattr(display, "publish_display_data", lambda data, *_: shown.append(data))
    monkeypatch.setenv("COURSE_WIDGETS", mode)
    surfaces._ipython_display_()
    (data,) = shown
    live, picture = "application/vnd.plotly.v1+json" in data, "text/html" in data
    assert {(True, True): "b", (True, False): "l", (False, True): "p"}[live, picture] == kinds
    if picture:
        assert 'alt="A bowl and a plane."' in data["text/html"]
    if live:
        assert len(go.Figure(data["application/vnd.plotly.v1+json"]).data) == 2


def test_bad_input():
    with pytest.raises(ValueError, match=r"'a' has shape \(2, 3\); the steps ask for \(3, 3\)"):
        Surfaces({"a": np.zeros((2, 3))}, STEPS, "t", "x", "y", "z", "alt")
    with pytest.raises(ValueError, match="at least one surface"):
        Surfaces({}, STEPS, "t", "x", "y", "z", "alt")
