import plotly.graph_objects as go
import pytest

from course_lib.figures import Chart, charts, display

SERIES = {"no <b>attention</b>": [1.0, 2.0], "$Bahdanau$": [3.0, 4.0]}


@pytest.fixture(params=["line", "bar"])
def chart(request):
    return Chart(request.param, SERIES, [5, 6], "5 < 6 & $x$", "length", "BLEU", "Bahdanau is higher.")


def test_plotly_gets_the_values_and_no_markup(chart):
    figure = chart.plotly()
    for trace, values in zip(figure.data, SERIES.values(), strict=True):
        assert list(trace.y) == values
        assert chart.kind == "bar" or list(trace.x) == [5, 6]
    texts = [trace.name for trace in figure.data] + [figure.layout.title.text]
    assert not any("<" in text or "$" in text for text in texts)


def test_categories_that_look_like_dates_stay_names():
    chart = Chart("bar", {"a": [1.0, 2.0]}, ["4-5", "10-12 & <b>"], "t", "x", "y", "alt")
    axis = chart.plotly().layout.xaxis
    assert list(axis.tickvals) == [0, 1] and list(axis.ticktext) == ["4-5", "10-12 &amp; &lt;b&gt;"]


def test_series_differ_by_more_than_colour(chart):
    second_cue = (
        (lambda t: (t.line.dash, t.marker.symbol))
        if chart.kind == "line"
        else (lambda t: t.marker.pattern.shape)
    )
    traces = chart.plotly().data
    assert len({trace.line.color if chart.kind == "line" else trace.marker.color for trace in traces}) == 2
    assert len({second_cue(trace) for trace in traces}) == 2


@pytest.mark.parametrize(("mode", "kinds"), [("auto", "b"), ("live", "l"), ("static", "p"), ("page", "l")])
def test_what_is_shown_in_each_mode(chart, mode, kinds, monkeypatch):
    shown = []
    monkeypatch.setattr(display, "publish_display_data", lambda data, *_: shown.append(data))
    monkeypatch.setenv("COURSE_WIDGETS", mode)
    chart._ipython_display_()
    (data,) = shown  # one output: a page that knows neither this style nor plotly still shows it once
    live, picture = "application/vnd.plotly.v1+json" in data, "text/html" in data
    assert {(True, True): "b", (True, False): "l", (False, True): "p"}[live, picture] == kinds
    assert data["text/plain"] == "Bahdanau is higher."
    if picture:
        assert 'alt="Bahdanau is higher."' in data["text/html"]
        assert ("image/png" in data) is not live  # JupyterLab would show it in the place of what is live
    if live:
        assert go.Figure(data["application/vnd.plotly.v1+json"]).data[0].y is not None


def test_a_page_shows_the_picture_of_what_only_a_kernel_can_move(chart, monkeypatch):
    shown = []
    monkeypatch.setattr(display, "publish_display_data", lambda data, *_: shown.append(data))
    view = {"application/vnd.jupyter.widget-view+json": {"model_id": "1"}, "text/plain": "sliders"}
    display.show(chart.picture(), view, "page")
    (output,) = shown
    assert "image/png" in output


def test_wrong_series_are_named():
    with pytest.raises(ValueError, match="series 'a' has 1 values for 2 positions"):
        Chart("line", {"a": [1.0]}, [1, 2], "t", "x", "y", "alt")
    with pytest.raises(ValueError, match="series has 0 entries; allowed are 1 to 8"):
        Chart("line", {}, [1, 2], "t", "x", "y", "alt")


def test_a_bar_too_low_to_see_says_its_number(monkeypatch):
    chart = Chart("bar", {"a": [100.0, 0.018, 0], "b": [1.2, -30.0, -0.9]}, "xyz", "t", "x", "y", "alt")
    assert [list(bar.text) for bar in chart.plotly().data] == [["", "0.018", "0"], ["", "", "-0.9"]]
    with_numbers = chart.picture().png
    monkeypatch.setattr(charts, "LOWEST_SEEN", 0)
    assert chart.picture().png != with_numbers


@pytest.mark.parametrize("kind", ["line", "bar"])
def test_errors_and_log_axes_are_drawn(kind):
    chart = Chart(kind, {"a": [1.0, 10.0]}, [1, 100], "t", "x", "y", "alt", errors={"a": [0.5, 0]}, log="y")
    figure = chart.plotly()
    assert list(figure.data[0].error_y.array) == [0.5, None]  # 0: no bar
    assert (figure.layout.xaxis.type, figure.layout.yaxis.type) == (None, "log")
    plain = Chart(kind, {"a": [1.0, 10.0]}, [1, 100], "t", "x", "y", "alt", log="y")
    assert chart.picture().png != plain.picture().png
    with pytest.raises(ValueError, match="errors of 'a' has 1 values for 2 positions"):
        Chart(kind, {"a": [1.0, 10.0]}, [1, 100], "t", "x", "y", "alt", errors={"a": [0.5]})


@pytest.mark.parametrize(("lowest", "decades"), [(1e-3, 1), (1e-14, 2), (1e-25, 3), (0.0, 1)])
def test_a_long_logarithmic_axis_has_at_most_ten_marks(lowest, decades):
    chart = Chart("line", {"a": [lowest, 1000.0]}, [1, 2], "t", "x", "y", "alt", log="y")
    assert chart.plotly().layout.yaxis.dtick == decades
