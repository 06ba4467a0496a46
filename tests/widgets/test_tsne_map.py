import json
import re

import numpy as np
import pytest

from course_lib.figures import describe_embedding
from course_lib.figures.embedding import CAUTION
from course_lib.figures.theme import MARKERS, OKABE_ITO
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
        {"zoom": 2},
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


def test_colours_markers_and_the_caution_are_those_of_the_figure():
    module = TSNEMap(trace())._esm
    for value in (OKABE_ITO, MARKERS, CAUTION):
        assert json.dumps(value) in module


def test_the_exported_page_needs_nothing_and_runs_no_label(tmp_path):
    labels = ("</script><script>alert(1)</script>", "<b>x</b>") * 6
    page = TSNEMap(trace(labels=labels)).export_html(tmp_path / "map.html").read_text(encoding="utf-8")
    assert not re.findall(r"https?://", page)
    assert "<script>alert" not in page
    content = json.loads(re.search(r'<script type="application/json" id="content">(.*)</script>', page)[1])
    assert tuple(content["fields"]["labels"]) == labels


def test_two_thousand_points_and_sixty_frames_make_a_page_below_three_megabytes(tmp_path):
    page = TSNEMap(trace(2000, 60)).export_html(tmp_path / "map.html")
    assert page.stat().st_size < 3_000_000
