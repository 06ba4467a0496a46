import gc
import json
import re
import weakref
from dataclasses import replace

import numpy as np
import pytest

from course_lib.figures import describe_embedding
from course_lib.figures.embedding import CAUTION
from course_lib.figures.theme import MARKERS, OKABE_ITO
from course_lib.figures.tsne_points import Points, embed_points
from course_lib.traces import EmbeddingTrace
from course_lib.widgets import TSNEMap


def trace(points=12, frames=4, labels=None):
    generator = np.random.default_rng(0)
    neighbours = np.stack([np.delete(np.arange(points), i)[:3] for i in range(points)])
    return EmbeddingTrace(
        frames=generator.normal(size=(frames, points, 2)),
        iterations=np.arange(frames) * 10,
        kl=np.linspace(2, 1, frames),
        labels=labels or tuple(f"w{i}" for i in range(points)),
        groups=tuple("ab"[i % 2] for i in range(points)),
        perplexity=3.0,
        neighbours_kept=0.5,
        neighbours=neighbours,
        title="Two kinds",
    )


@pytest.mark.parametrize(
    "choices",
    [
        {"frame": 4},
        {"frame": -1},
        {"frame": False},
        {"point": 12},
        {"point": 1.0},
        {"hidden": ["c"]},
        {"selected": [0, 12]},
        {"selected": [True]},
        {"zoom": 2},
        {"layout": "pca"},
    ],
)
def test_a_choice_that_does_not_exist_is_refused(choices):
    with pytest.raises(ValueError, match=next(iter(choices))):
        TSNEMap(trace(), **choices)


def test_the_picture_is_that_of_the_frame_shown():
    widget = TSNEMap(trace())
    last = widget.picture()
    widget.select(frame=3)
    assert widget.picture() == last and last.alt == describe_embedding(trace())
    widget.select(frame=0)
    assert widget.picture().png != last.png


def test_components_are_for_the_browser_a_picture_is_the_t_sne_map():
    components = {
        "components": np.eye(12)[:, :3],
        "component_shares": [0.5, 0.2, 0.1],
        "components_kept": [0.4, 0.5],
    }
    widget = TSNEMap(replace(trace(), **components))
    before = widget.picture()
    widget.select(layout="pca3")
    assert widget.picture() == before
    with pytest.raises(ValueError, match="layout must be one of tsne, pca, pca3, got 'umap'"):
        widget.select(layout="umap")


def test_colours_markers_and_the_caution_are_those_of_the_figure():
    module = TSNEMap(trace())._esm
    for value in (OKABE_ITO, MARKERS, CAUTION):
        assert json.dumps(value) in module


def test_the_exported_page_needs_nothing_and_runs_no_label(tmp_path):
    labels = ("</script><script>alert(1)</script>", "<b>x</b>") * 6
    page = TSNEMap(trace(labels=labels)).export_html(tmp_path / "map.html").read_text(encoding="utf-8")
    assert not re.search(r"https?://|@import|url\(", page.replace("http://www.w3.org/2000/svg", ""))
    assert "<script>alert" not in page
    content = json.loads(re.search(r'<script type="application/json" id="content">(.*)</script>', page)[1])
    assert tuple(content["fields"]["labels"]) == labels


def test_two_thousand_points_and_sixty_frames_make_a_page_below_three_megabytes(tmp_path):
    page = TSNEMap(trace(2000, 60)).export_html(tmp_path / "map.html")
    assert page.stat().st_size < 3_000_000


def test_pictures_travel_once_as_bytes():
    pictures = np.random.default_rng(0).integers(0, 256, (12, 28, 28), np.uint8)
    plain, pictured = TSNEMap(trace()), TSNEMap(replace(trace(), pictures=pictures))
    field = pictured._fields["pictures"]
    assert (field["dtype"], tuple(field["shape"])) == ("uint8", (12, 28, 28))
    sent = np.frombuffer(pictured._buffer, np.uint8, pictures.size, field["offset"]).reshape(12, 28, 28)
    np.testing.assert_array_equal(sent, pictures)
    assert len(pictured._buffer) == len(plain._buffer) + pictures.size


def test_a_closed_map_frees_its_memory():
    run = trace()
    points = Points(np.zeros((12, 2)), run.labels, run.groups)
    widget = TSNEMap(replace(run), points=points)
    gone = [weakref.ref(widget), weakref.ref(widget.trace), weakref.ref(points)]
    widget.close()
    del widget, points
    gc.collect()
    assert [one() for one in gone] == [None] * 3


def test_the_svg_says_what_it_shows(tmp_path):
    text = TSNEMap(trace()).save_svg(tmp_path / "map.svg").read_text(encoding="utf8")
    assert "<svg" in text and "Two kinds t-SNE map of 12 points" in text


# ---- another perplexity ------------------------------------------------------------------------------


@pytest.fixture
def asked():
    """A widget with its points, and what the kernel answers to requests of a view."""
    vectors = np.random.default_rng(0).normal(size=(16, 4))
    pictures = np.arange(16 * 4, dtype=np.uint8).reshape(16, 2, 2)
    points = Points(vectors, tuple(f"w{i}" for i in range(16)), tuple("ab" * 8), pictures)
    first = embed_points(points, 3, compare=(), twin="noise", iterations=30, frames=3, title="Two kinds")
    widget = TSNEMap(first, points=points, frame=1)
    answers = []
    widget.send = lambda message, buffers=None: answers.append((message, buffers))

    def ask(**request):
        widget._on_request(widget, {"id": "1", **request}, [])
        return answers[-1]

    return widget, ask


def test_a_view_learns_which_perplexities_it_may_ask_for(asked):
    _, ask = asked
    assert ask(want="perplexity")[0]["fields"] == {"smallest": 1.0, "largest": 5.0}


def test_a_new_perplexity_becomes_the_map_and_the_earlier_one_stands_beside_it(asked):
    widget, ask = asked
    before = widget.trace
    message, buffers = ask(want="perplexity", perplexity=4.5)
    assert (widget.trace.perplexity, message["fields"]["perplexity"]) == (4.5, 4.5)
    assert widget.trace.other_kinds == ("data", "noise")
    np.testing.assert_array_equal(widget.trace.others[0], before.frames[-1])
    assert widget.view["frame"] is None
    # The answer leaves out the pictures, which the view has; a page saved from now on holds all.
    assert message["fields"]["pictures"] is None and len(buffers) == 1
    assert widget._fields["pictures"] is not None and widget._fields["perplexity"] == 4.5


@pytest.mark.parametrize(
    ("perplexity", "message"),
    [(5.5, "from 1 to 5, a third of the other points; got 5.5"), ("many", "number"), (None, "number")],
)
def test_a_perplexity_that_is_not_allowed_is_answered_with_the_reason(asked, perplexity, message):
    widget, ask = asked
    before = widget.trace
    assert message in ask(want="perplexity", perplexity=perplexity)[0]["error"]
    assert widget.trace is before


def test_without_points_nothing_new_can_be_asked(asked):
    widget, _ = asked
    with pytest.raises(ValueError, match="cannot answer"):
        TSNEMap(widget.trace)._answer({"want": "perplexity"})
    with pytest.raises(ValueError, match="points must be those of the trace"):
        TSNEMap(trace(), points=widget._points)
