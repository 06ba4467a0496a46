"""The beam tree as a reader meets it: live in JupyterLab, and in a file."""

import json
import re

import numpy as np
import pytest
import torch

from course_lib.decoding import LengthPenalty, beam_search
from course_lib.traces import BeamTrace
from course_lib.widgets import BeamTree

expect = pytest.importorskip("playwright.sync_api").expect

SETUP = """
import torch
from course_lib.decoding import LengthPenalty, beam_search
from course_lib.widgets import BeamTree
table = torch.randn(8, 8, generator=torch.Generator().manual_seed(0)).log_softmax(-1)
def search(beam_size, alpha):
    step = lambda tokens, state: (table[tokens], state)
    penalty, first = LengthPenalty("average", alpha), torch.tensor([1])
    return beam_search(step, torch.zeros(1), first, 0, 6, beam_size, penalty, pieces="/abcdefg")[0].trace
"""
STRANGE = ["<s>", "</s>", "<b>x</b>", "<script>alert(1)</script>", "%{z}", "$x$", "&amp;", "", " ", "\n"]
STRANGE += ["▁the", "Ġthe", "😀", "سلام"]
STRANGE_LABELS = [*STRANGE[:7], "∅", "␣", "⏎", *STRANGE[10:]]


@pytest.fixture
def overtaken():
    """ "a" leads, "b </s>" wins; nodes 2 and 3 are both spelt "b"."""
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


def long_search():
    table = torch.randn(12, 12, generator=torch.Generator().manual_seed(1)).log_softmax(-1)
    pieces = ["</s>", *"abcdefghijk"]
    first = torch.tensor([1])

    def step(tokens, state):
        return table[tokens], state

    return beam_search(step, torch.zeros(1), first, 0, 10, 5, LengthPenalty("average"), pieces=pieces)[
        0
    ].trace


def tree_of(page):
    return page.locator(".course-widget .beam-svg")


def press(page, *keys):
    tree_of(page).focus()
    for key in keys:
        page.keyboard.press(key)


def chosen(page):
    return int(page.locator(".beam-node[aria-selected=true]").get_attribute("data-node"))


def shown(page):
    return sorted(int(n.get_attribute("data-node")) for n in page.locator(".beam-node").all())


def why(page):
    return page.locator(".beam-why").inner_text()


def prefix(page):
    return page.locator(".beam-prefix bdi").all_text_contents()


def read_table(page):
    page.locator(".course-widget details summary").click()
    page.locator(".course-widget details table").wait_for()
    return page.evaluate(
        """() => [...document.querySelectorAll(".course-widget details tr")].map(
            (row) => [...row.cells].map((cell) => cell.textContent))"""
    )


@pytest.fixture
def opened(tmp_path, exported):
    """Export a tree and open the page."""
    return lambda trace, **choices: exported(BeamTree(trace, **choices).export_html(tmp_path / "beam.html"))


# ---- the exported page -------------------------------------------------------------------------------


def test_keys_travel_through_the_tree(opened, overtaken):
    page = opened(overtaken)
    tree_of(page).wait_for()
    assert chosen(page) == overtaken.best
    for keys, node in (
        (["ArrowLeft"], 2),  # parent
        (["ArrowUp"], 1),  # next in rank
        (["ArrowRight"], 5),  # best child
        (["ArrowDown", "ArrowDown"], 4),  # past 6, a node of another parent
        (["Shift+ArrowUp"], 5),  # sibling
        (["Shift+ArrowUp"], 5),  # the first has none above
        (["Home"], 0),
        (["ArrowLeft"], 0),  # the root has no parent
        (["ArrowRight", "ArrowRight", "ArrowRight", "ArrowRight"], 7),
        (["End"], 6),
    ):
        press(page, *keys)
        assert chosen(page) == node, keys


def test_the_tree_grows_step_by_step_and_names_the_winner_last(opened, overtaken):
    page = opened(overtaken, step=0)
    expect(page.locator("h3")).to_have_text("After step 0 of 3")
    for nodes in ([0], [0, 1, 2, 3], [0, 1, 2, 3, 4, 5, 6]):
        assert shown(page) == nodes
        assert page.locator(".beam-svg :is(.best, .beam-led)").count() == 0
        page.get_by_role("button", name="One step on").click()
    assert shown(page) == list(range(8))
    assert page.locator(".beam-svg .best").count() == 2
    assert page.locator(".beam-svg .beam-led").count() == 2
    expect(page.locator("h3")).to_have_text("Best: b </s>")
    page.locator("input[type=range]").focus()
    page.keyboard.press("ArrowLeft")
    assert shown(page) == [0, 1, 2, 3, 4, 5, 6]
    press(page, "PageUp")
    assert shown(page) == [0, 1, 2, 3] and chosen(page) == 1
    press(page, "ArrowRight")  # a child lies one step on
    assert chosen(page) == 5 and len(shown(page)) == 7


def test_it_plays(opened, overtaken):
    page = opened(overtaken)
    press(page, "Space")
    expect(page.locator("h3")).to_have_text("After step 0 of 3")
    expect(page.get_by_role("button", name="Play")).to_have_attribute("aria-pressed", "true")
    expect(page.locator("h3")).to_have_text("Best: b </s>")
    expect(page.get_by_role("button", name="Play")).to_have_attribute("aria-pressed", "false")


def test_why_a_node_was_pruned_kept_finished_or_overtaken(opened, overtaken):
    page = opened(overtaken)
    page.locator("[data-node='4']").click()
    assert why(page) == (
        "Pruned. Rank 3 among all candidates of step 2; the beam goes on with 2: its log p −1.71 is 0.51 "
        "below that of the last one that stayed, “a b” (−1.20)."
    )  # log(0.6 · 0.3) and log(0.6 · 0.5)
    assert prefix(page) == ["a", "a"]
    assert page.locator(".beam-numbers").inner_text() == "p(token | prefix) 0.30 · log p −1.71 · score −0.86"
    page.locator("[data-node='5']").click()
    assert "It led this step, yet was overtaken: the search returns “b </s>” with score −0.64." in why(page)
    page.locator("[data-node='6']").click()
    assert "Finished. Rank 2" in why(page) and "number 1 of 1 finished" in why(page)
    assert "This is the hypothesis that the search returns." in why(page)
    page.locator("[data-node='7']").click()
    assert why(page).startswith("Still open when the search ended.")


def test_every_gap_in_a_long_search_is_the_distance_to_the_last_kept(opened):
    trace = long_search()
    page = opened(trace)
    told = page.evaluate(
        """() => Object.fromEntries([...document.querySelectorAll('.beam-node')].map((n) => {
            n.dispatchEvent(new PointerEvent("pointerover", { bubbles: true }));
            return [n.dataset.node, n.querySelector('title').textContent];
        }))"""
    )
    cut = [node for node in range(len(trace)) if trace.status[node] == "pruned"]
    for node in cut:
        nodes = trace.nodes_at(trace.step[node])
        lowest = min(trace.total[n] for n in nodes if trace.status[n] == "kept")
        assert told[str(node)].startswith(f"Pruned. Rank {trace.rank[node] + 1} among")
        if trace.total[node] < lowest:
            said = float(re.search(r" is (\S+) below", told[str(node)])[1])
            assert said == pytest.approx(lowest - trace.total[node], abs=0.011)
    assert len(cut) > 80


def test_ten_steps_of_five_with_pruned_stay_usable(opened):
    page = opened(long_search())
    assert len(shown(page)) > 100
    boxes = page.evaluate(
        "() => [...document.querySelectorAll('.beam-node .beam-box')].map((b) => b.getBBox())"
        ".map((b) => [b.x, b.y, b.x + b.width, b.y + b.height])"
    )
    for i, a in enumerate(boxes):
        for b in boxes[i + 1 :]:
            assert a[2] <= b[0] or b[2] <= a[0] or a[3] <= b[1] or b[3] <= a[1]
    press(page, "Home")
    for _ in range(10):
        press(page, "ArrowRight")
        ring = page.locator(".beam-ring").bounding_box()
        stage = page.locator(".beam-stage").bounding_box()
        assert stage["x"] <= ring["x"] and ring["x"] + ring["width"] <= stage["x"] + stage["width"]
    page.get_by_role("button", name="Pruned").click()
    assert page.locator("[data-status=pruned]").count() == 0


def test_the_table_holds_every_node_by_number(opened, overtaken):
    rows = read_table(opened(overtaken))
    assert rows[0][:5] == ["node", "step", "rank", "token", "prefix"]
    by_node = {int(row[0]): row for row in rows[1:]}
    assert sorted(by_node) == list(range(8))
    assert by_node[2][3] == by_node[3][3] == "b" and by_node[2][9] == "kept" and by_node[3][9] == "pruned"
    assert by_node[6][4:6] == ["b </s>", "2"] and by_node[6][10] == "best path"
    assert by_node[5][10] == "greedy path, overtaken"
    for node, row in by_node.items():
        assert float(row[6]) == pytest.approx(np.exp(overtaken.log_prob[node]), rel=1e-3)
        assert float(row[7].replace("−", "-")) == pytest.approx(overtaken.total[node], abs=1e-4)
        assert float(row[8].replace("−", "-")) == pytest.approx(overtaken.score[node], abs=1e-4)


@pytest.mark.parametrize(("score", "value"), [("probability", "0.70"), ("log", "−1.27"), ("score", "−0.64")])
def test_the_number_in_a_node_is_the_one_asked_for(opened, overtaken, score, value):
    page = opened(overtaken)
    page.get_by_label("In the nodes").select_option(str(["probability", "log", "score"].index(score)))
    assert page.locator("[data-node='6'] .beam-value").text_content() == value


def test_strange_tokens_are_shown_as_they_are_and_run_by_nothing(opened):
    count = len(STRANGE)
    step = np.arange(count)
    log_prob = np.where(step == 0, 0.0, -0.1)
    path = BeamTrace(
        np.arange(-1, count - 1), step, np.arange(-1, count - 1), STRANGE, log_prob, np.cumsum(log_prob),
        np.cumsum(log_prob), np.zeros(count, int), ("kept",) * count, count - 1, 1, "log p", "<i>source</i>",
    )  # fmt: skip
    page = opened(path)
    assert prefix(page) == STRANGE_LABELS[1:]
    assert [row[3] for row in read_table(page)[1:]] == STRANGE_LABELS
    texts = page.locator(".beam-token").all_text_contents()
    assert [text for text in texts if not text.endswith("…")] == [t for t in STRANGE_LABELS if len(t) <= 18]
    assert page.locator(".course-widget :is(b, i, script)").count() == 0
    assert "<i>source</i>" in page.locator(".course-widget").inner_text()


def test_without_a_kernel_another_search_is_greyed_out_and_says_why(opened, overtaken):
    page = opened(overtaken, search=lambda beam_size, alpha: overtaken, alpha=1.0)
    expect(page.get_by_text("This page has no kernel, so nothing new can be computed.")).to_be_visible()
    expect(page.get_by_label("Beam width")).to_be_disabled()
    assert page.get_by_label("Beam width").input_value() == "2"
    assert page.get_by_label("Alpha").input_value() == "1"


def test_no_search_no_control(opened, overtaken):
    page = opened(overtaken)
    tree_of(page).wait_for()
    assert page.get_by_label("Beam width").count() == 0


# ---- live in JupyterLab ------------------------------------------------------------------------------


def test_search_again_in_lab(notebook, run_code):
    """Another beam width and alpha are searched by the kernel; both sides then hold the same tree."""
    page = notebook(
        "beam", [SETUP, "widget = BeamTree(search(2, 0.5), search=search, alpha=0.5)\nwidget", "pass"]
    )
    width = page.get_by_label("Beam width")
    expect(width).to_be_enabled()
    press(page, "Home", "ArrowRight", "ArrowDown")
    assert json.loads(run_code(page, "print(widget.view['node'])")) == chosen(page) == 2

    width.fill("4")
    width.press("Enter")
    expect(page.locator(".course-widget")).to_contain_text("Beam width 4 · score = log p / |y|^0.5")
    alpha = page.get_by_label("Alpha")
    alpha.fill("0.9")
    alpha.press("Enter")
    expect(page.locator(".course-widget")).to_contain_text("Beam width 4 · score = log p / |y|^0.9")
    told = json.loads(run_code(page, "print([widget.trace.beam_size, len(widget.trace), widget.trace.best])"))
    assert told == [4, len(shown(page)), chosen(page)]

    width.fill("50")
    width.press("Enter")
    expect(page.get_by_text("The beam width is a whole number from 1 to 20; got 50.")).to_be_visible()
    assert run_code(page, "print(widget.trace.beam_size)").strip() == "4"
