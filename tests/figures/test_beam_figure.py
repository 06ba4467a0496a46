from dataclasses import replace

import numpy as np
import pytest
import torch
from matplotlib.colors import to_rgba
from matplotlib.patches import FancyBboxPatch, PathPatch, Polygon, Rectangle

from course_lib.decoding import LengthPenalty, beam_search
from course_lib.figures import Picture, describe_beam_tree, static_beam_tree
from course_lib.figures.beam import SCORES, words
from course_lib.figures.beam_drawing import GREEDY, REFERENCE
from course_lib.figures.theme import DARK
from course_lib.traces import BeamTrace

STRANGE = ["</s>", "<b>x</b>", "<script>alert(1)</script>", "$x_1^2$", "", " ", "\n", "▁the", "🙂", "مرحبا"]


def overtaken():
    """ "a" leads, "b </s>" wins; two tokens are spelt "b"."""
    probability = np.array([1, 0.6, 0.4, 0.01, 0.3, 0.5, 0.7, 0.4])
    parent = [-1, 0, 0, 0, 1, 1, 2, 5]
    total = [0.0]
    for node in range(1, 8):
        total.append(total[parent[node]] + float(np.log(probability[node])))
    step = [0, 1, 1, 1, 2, 2, 2, 3]
    return BeamTrace(
        parent=parent,
        step=step,
        token_id=[-1, 1, 2, 3, 1, 2, 0, 1],
        token=("<s>", "a", "b", "b", "a", "b", "</s>", "a"),
        log_prob=np.log(probability),
        total=total,
        score=np.array(total) / np.maximum(step, 1),
        rank=[0, 0, 1, 2, 2, 0, 1, 0],
        status=("kept", "kept", "kept", "pruned", "pruned", "kept", "finished", "kept"),
        best=6,
        beam_size=2,
        penalty="log p / |y|",
        source="Où ?",
    )


def long_search(tokens=STRANGE, steps=10, beam_size=5):
    torch.manual_seed(0)
    table = torch.randn(len(tokens), len(tokens)).log_softmax(-1)

    def step(previous, state):
        return table[previous], state

    first = torch.tensor([1])
    penalty = LengthPenalty("average")
    return beam_search(step, torch.zeros(1), first, 0, steps, beam_size, penalty, pieces=tokens)[0].trace


def shapes(figure):
    patches = figure.axes[0].patches
    return {kind: [p for p in patches if type(p) is kind] for kind in (FancyBboxPatch, Rectangle, Polygon)}


def texts(figure):
    return [text.get_text() for text in figure.axes[0].texts]


def test_each_status_has_its_own_shape_and_line():
    found = shapes(static_beam_tree(overtaken()))
    assert {kind: len(patches) for kind, patches in found.items()} == {
        FancyBboxPatch: 5,
        Rectangle: 2,
        Polygon: 1,
    }
    assert all(box.get_linestyle() != "solid" for box in found[Rectangle])
    assert all(box.get_linestyle() == "solid" for box in found[FancyBboxPatch] + found[Polygon])


def test_nodes_of_a_step_stand_by_rank_and_equal_texts_stay_apart():
    axes = static_beam_tree(overtaken()).axes[0]
    step_one = [t for t in axes.texts if t.get_text() in ("a", "b #2", "b #3")][:3]
    assert [t.get_text() for t in step_one] == ["a", "b #2", "b #3"]  # told apart by their ids
    heights = [t.get_position()[1] for t in step_one]
    assert heights == sorted(heights) and len(set(heights)) == 3
    assert len({t.get_position()[0] for t in step_one}) == 1


@pytest.mark.parametrize(
    ("score", "value"), [("probability", "0.70"), ("log", "−1.27"), ("score", "−0.64")]
)  # 0.7; log(0.4 · 0.7); its half
def test_the_number_asked_for_is_in_the_node(score, value):
    shown = texts(static_beam_tree(overtaken(), score=score))
    assert value in shown
    assert any(SCORES[score] in text and "log p / |y|" in text and "beam width 2" in text for text in shown)


def test_the_best_path_shows_only_once_the_search_is_over():
    def thick(step):
        patches = static_beam_tree(overtaken(), step=step).axes[0].patches
        return sum(type(p) is PathPatch and p.get_linewidth() > 3 for p in patches)

    assert [thick(step) for step in (0, 1, 2, 3)] == [0, 0, 0, 2]


def test_a_step_shows_what_was_scored_by_then():
    for step, count in ((0, 1), (1, 4), (2, 7), (3, 8)):
        assert sum(map(len, shapes(static_beam_tree(overtaken(), step=step)).values())) == count
    assert len(shapes(static_beam_tree(overtaken(), pruned=False))[Rectangle]) == 0


def test_the_title_says_who_wins_and_who_led():
    assert "“b </s>” wins, though another led at steps 1, 2" in texts(static_beam_tree(overtaken()))
    assert "After step 1 of 3" in texts(static_beam_tree(overtaken(), step=1))


def test_the_words_tell_what_the_picture_shows():
    told = describe_beam_tree(overtaken())
    for part in (
        "width 2 over 3 steps on “Où ?”",
        "best hypothesis is “b </s>”, finished, with log p -1.27 and score -0.64",
        "Its ranks step by step: 2, 2.",
        "The greedy path is “a b a”",
        "overtaken later: “a” at step 1, “a b” at step 2",
    ):
        assert part in told


def test_greedy_that_fell_off_the_beam_is_told():
    trace = overtaken()
    status = list(trace.status)
    status[5], status[7] = "pruned", "kept"
    fields = {name: getattr(trace, name)[:7] for name in ("parent", "step", "token_id", "token", "log_prob")}
    fields |= {name: getattr(trace, name)[:7] for name in ("total", "score", "rank")}
    cut = BeamTrace(**fields, status=status[:7], best=6, beam_size=2, penalty="log p")
    assert "greedy path “a b” is pruned at step 2" in describe_beam_tree(cut)


@pytest.mark.parametrize(
    ("reference", "told", "fell"),
    [
        ((2, 0), "The reference “b </s>” is found, with score -0.64.", 0),
        ((1, 1), "The reference “a a” falls out of the beam at step 2, with rank 3.", 1),
        ((1, 2, 1, 0), "is longer than what was searched", 0),
        ((1, 9), "falls out of the beam at step 2, at a token that was not scored.", 0),
    ],
)
def test_a_reference_is_overlaid_and_told(reference, told, fell):
    names = {0: "</s>", 1: "a", 2: "b", 9: "?"}
    trace = replace(overtaken(), reference=reference, reference_token=tuple(names[i] for i in reference))
    assert told in describe_beam_tree(trace)
    axes = static_beam_tree(trace).axes[0]
    dotted = [p for p in axes.patches if type(p) is PathPatch and p.get_edgecolor() == to_rgba(REFERENCE)]
    assert len(dotted) == len(trace.reference_path()) - 1
    assert sum(line.get_marker() == "D" for line in axes.lines) == fell
    bare = static_beam_tree(trace, greedy=False, reference=False).axes[0]
    assert not any(p.get_edgecolor() in (to_rgba(REFERENCE), to_rgba(GREEDY)) for p in bare.patches)


def test_the_temperature_is_on_the_picture():
    assert any(
        "temperature 2.5" in text for text in texts(static_beam_tree(replace(overtaken(), temperature=2.5)))
    )


def test_any_token_is_drawn_as_it_is():
    trace = long_search()
    shown = texts(static_beam_tree(trace))
    for label in ("<b>x</b>", "$x_1^2$", "∅", "␣", "⏎", "▁the"):
        assert label in shown
    assert Picture.of(static_beam_tree(trace, theme=DARK), describe_beam_tree(trace)).png.startswith(
        b"\x89PNG"
    )
    assert "<script>" not in Picture.of(static_beam_tree(trace, step=1), describe_beam_tree(trace)).html()


def test_boxes_never_overlap_in_a_search_of_ten_steps_and_five_hypotheses():
    found = [box for boxes in shapes(static_beam_tree(long_search())).values() for box in boxes]
    assert len(found) > 100
    extents = np.array([box.get_path().get_extents(box.get_patch_transform()).bounds for box in found])
    left, top = extents[:, 0], extents[:, 1]
    right, bottom = left + extents[:, 2], top + extents[:, 3]
    across = (left[:, None] < right - 1e-9) & (left < right[:, None] - 1e-9)
    down = (top[:, None] < bottom - 1e-9) & (top < bottom[:, None] - 1e-9)
    assert (across & down).sum() == len(found)  # each only with itself


def test_a_root_alone_can_be_drawn():
    root = BeamTrace([-1], [0], [-1], ("<s>",), [0.0], [0.0], [0.0], [0], ("kept",), 0, 3, "log p")
    assert Picture.of(static_beam_tree(root), describe_beam_tree(root)).png
    assert words(root, 0) == ""


@pytest.mark.parametrize("choice", [{"step": 4}, {"step": -1}, {"score": "logit"}])
def test_a_choice_that_does_not_exist_is_refused(choice):
    with pytest.raises(ValueError, match=next(iter(choice))):
        static_beam_tree(overtaken(), **choice)
