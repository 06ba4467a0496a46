"""The beam tree as a reader meets it: live in JupyterLab, and in a file."""

import json
import re
from xml.etree import ElementTree

import numpy as np
import pytest
import torch

from course_lib.decoding import LengthPenalty, beam_search
from course_lib.decoding.problem import SearchProblem
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
    page.get_by_text("The search as a table").click()
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
        nodes = trace.nodes_at(int(trace.step[node]))
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


def by_prefix(seed=3, size=30, steps=6, **more):
    """A model whose distribution depends on the whole prefix."""
    table = (torch.randn(499, size, generator=torch.Generator().manual_seed(seed)) * 2).log_softmax(-1)

    def step(tokens, state):
        state = (state * 31 + tokens + 7) % 499
        return table[state], state

    pieces = ["</s>", "b", "b", *STRANGE[2:8], *(f"t{i}" for i in range(size))][:size]
    return SearchProblem(step, torch.zeros(1, dtype=torch.long), 1, 0, steps, pieces, "a source", **more)


def recorded(**more):
    """k = 1, 2, 3 are recorded at temperature 1, k = 3 at temperature 2, of eight tokens each."""
    return BeamTree.from_problem(
        by_prefix(), beam_size=3, beam_sizes=(1, 2), temperatures=(2.0,), top=8, **more
    )


def put(page, label, value):
    page.get_by_label(label).fill(value)


def test_other_settings_are_replayed_and_what_the_record_lacks_is_said(tmp_path, exported):
    widget = recorded()
    page = exported(widget.export_html(tmp_path / "beam.html"))
    origin, facts = page.locator(".beam-origin"), page.locator(".beam-facts")
    expect(origin).to_have_text("Searched by the model.")
    for label, value, choice in (
        ("Beam width", "2", {"beam_size": 2}),
        ("Alpha", "0.3", {"alpha": 0.3}),
        ("Beam width", "3", {"beam_size": 3}),
        ("Temperature", "2", {"temperature": 2.0}),
        ("Length penalty", "gnmt", {"kind": "gnmt"}),
    ):
        if label == "Length penalty":
            page.get_by_label(label, exact=True).select_option("2")
        else:
            put(page, label, value)
        widget.select(**choice)
        expect(origin).to_have_text("Replayed from the record, without the model.")
        trace = widget.trace
        assert shown(page) == list(range(len(trace))) and chosen(page) == trace.best
        assert trace.penalty in facts.inner_text() and f"Beam width {trace.beam_size}" in facts.inner_text()
        assert page.locator(f"[data-node='{trace.best}'] .beam-value").text_content() == (
            f"{trace.total[trace.best]:.2f}".replace("-", "−")
        )
    assert "temperature 2 (p^(1/T), made to sum to 1)" in facts.inner_text()
    for label, value, lack in (
        ("Temperature", "0.55", "temperature 0.55 needs them all"),
        ("Beam width", "8", "a beam of 8 needs 9"),
    ):
        put(page, label, value)
        page.get_by_label(label).press("Enter")
        expect(origin).to_contain_text("The record does not reach here: only the 8 likeliest")
        expect(origin).to_contain_text(lack)
        expect(origin).to_contain_text("Still shown: beam width 3, α 0.3, temperature 2.")
        put(page, label, {"Temperature": "2", "Beam width": "3"}[label])
    assert shown(page) == list(range(len(widget.trace)))
    put(page, "Beam width", "21")
    page.get_by_label("Beam width").press("Enter")
    expect(origin).to_have_text("The beam width is a whole number from 1 to 20; got 21.")


def test_predict_then_reveal(tmp_path, exported):
    widget = recorded()
    trace = widget.trace
    page = exported(widget.export_html(tmp_path / "beam.html"))
    page.get_by_role("button", name="Predict").click()
    secret = page.locator("[data-status=open]")
    expect(page.locator("h3")).to_have_text(
        f"After step 0 of {trace.last_step}: which candidate will lead step 1? Click it."
    )
    first, second = trace.nodes_at(1), trace.nodes_at(2)
    assert secret.count() == len(first)
    assert page.locator(".beam-svg :is(.beam-cut, .beam-led, .greedy)").count() == 0
    for node in first:
        spoken = page.locator(f"[data-node='{node}']").get_attribute("aria-label")
        assert "rank" not in spoken and not any(status in spoken for status in ("kept", "pruned", "finished"))
    read_table(page)
    assert page.locator("details table tbody tr").count() == 1  # the root alone
    page.locator(f"[data-node='{first[1]}']").click()
    verdict = page.locator(".beam-verdict")
    expect(verdict).to_contain_text("No: “")
    expect(verdict).to_contain_text("has rank 2 and stays in the beam. 0 of 1 right.")
    assert page.locator("[data-status=kept]").count() == 4  # the root and three
    press(page, "ArrowRight")
    for _ in range(len(second)):
        if chosen(page) == second[0]:
            break
        press(page, "ArrowDown")
    else:
        press(page, *["ArrowUp"] * len(second))
        while chosen(page) != second[0]:
            press(page, "ArrowDown")
    assert page.locator(f"[data-node='{second[0]}']").get_attribute("data-status") == "open"
    assert "will it lead?" in why(page)
    press(page, "Enter")
    expect(verdict).to_contain_text("Right: “")
    expect(verdict).to_contain_text("leads step 2. 1 of 2 right.")
    assert "path to the best" not in why(page)
    page.get_by_role("button", name="Predict").click()
    assert secret.count() == 0


def test_the_reference_is_overlaid_and_where_it_fell_out_is_marked(tmp_path, exported):
    table = [[0.5, 0.3, 0.2], [0.2, 0.5, 0.3], [0.1, 0.2, 0.7]]
    widget = BeamTree.from_table(table, tokens=["a", "b", "b"], beam_size=2, reference=(1, 0, 2))
    page = exported(widget.export_html(tmp_path / "beam.html"))
    path = widget.trace.reference_path()
    assert len(path) == 3 and page.locator(".beam-svg .reference").count() == 2
    assert page.locator(f"[data-node='{path[-1]}'] .beam-fell").count() == 1
    # 0.3 · 0.2 is the sixth of 0.25, 0.15, 0.15, 0.1, 0.09, 0.06; the second is the last that stays.
    expect(page.locator(".beam-notes")).to_contain_text(
        "The reference “b a b” falls out of the beam at step 2: rank 6, 0.91 below the last that stayed."
    )
    page.locator(f"[data-node='{path[-1]}']").click()
    assert "Here the reference falls out of the beam." in why(page)
    assert page.locator(f"[data-node='{path[1]}'] .beam-token").text_content() == "b #1"
    put(page, "Beam width", "20")  # of 27
    expect(page.locator(".beam-notes")).to_contain_text("is found: still open at the end")
    page.get_by_role("button", name="Reference").click()
    assert page.locator(".beam-svg .reference").count() == 0


def test_a_table_of_ones_own(tmp_path, exported):
    page = exported(recorded().export_html(tmp_path / "beam.html"))
    page.get_by_text("Search a table of your own").click()
    cells, wrong = page.get_by_label("Table of probabilities"), page.locator(".beam-wrong")
    send = page.get_by_role("button", name="Search this table")
    send.click()  # the slide's
    expect(page.locator("h3")).to_contain_text("4 0 4 0 4 0 4 0 4 0")
    totals = [page.locator(f"[data-node='{n}'] .beam-value").text_content() for n in shown(page)[-9:-6]]
    assert totals == ["−6.93", "−7.15", "−7.15"]
    for text, words in (
        ("0.5 0.6", "Row 1 sums to 1.1, not to 1."),
        ("0.5 0.5\n1", "Row 2 has 1 entries, row 1 has 2"),
        ("1.5 -0.5", "entry 1 is 1.5"),
        ("0.5 NaN", "entry 2 is “NaN”"),
    ):
        cells.fill(text)
        send.click()
        expect(wrong).to_contain_text(words)
    cells.fill("</s> b <b>x</b>\n0.1 0.5 0.4\n0.9 0 0.1\n0.2 0.8 0")
    page.get_by_label("A row stands for").select_option("1")
    page.get_by_label("the place of the token that ends").fill("0")
    send.click()
    expect(page.locator("h3")).to_have_text("Best: b </s>")
    expect(page.locator(".beam-origin")).to_have_text(
        "Searched in your browser: the table is the whole model."
    )
    assert page.locator(".course-widget b").count() == 0
    page.get_by_role("button", name="Back to the model").click()
    expect(page.locator(".beam-facts")).to_contain_text("source: a source")


def test_what_is_shown_can_be_saved_and_opened_again(tmp_path, exported):
    page = exported(recorded().export_html(tmp_path / "beam.html"))
    put(page, "Beam width", "2")
    heading = page.locator("h3").inner_text()
    for kind in ("PNG", "SVG", "HTML"):
        with page.expect_download() as download:
            page.get_by_role("button", name=kind, exact=True).click()
        download.value.save_as(tmp_path / f"saved.{kind.lower()}")
    assert (tmp_path / "saved.png").read_bytes().startswith(b"\x89PNG")
    picture = ElementTree.parse(tmp_path / "saved.svg").getroot()
    texts = [text.text or "" for text in picture.iter("{http://www.w3.org/2000/svg}text")]
    described = picture.find("{http://www.w3.org/2000/svg}desc").text
    assert "Tree of a beam search of width 2" in described and "log p / |y|^1" in " ".join(texts)
    assert set(page.locator(".beam-token").all_text_contents()) <= set(texts)
    again = exported(tmp_path / "saved.html")
    assert again.locator("h3").inner_text() == heading
    assert again.locator(".beam-facts").inner_text().startswith("Beam width 2")


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


SENTENCES = """
import torch
from course_lib.decoding.problem import SearchProblem
from course_lib.widgets import BeamTree
table = (torch.randn(499, 30, generator=torch.Generator().manual_seed(3)) * 2).log_softmax(-1)
def step(tokens, state):
    state = (state * 31 + tokens + 7) % 499
    return table[state], state
def problem(text):
    if not text.strip():
        raise ValueError("There is nothing to search.")
    return SearchProblem(step, torch.tensor([len(text)]), 1, 0, 6, [f"t{i}" for i in range(30)], text)
widget = BeamTree.from_problem(problem("first"), beam_sizes=(1, 2), temperatures=(), search_text=problem)
"""


def test_the_model_searches_what_the_record_lacks_and_another_sentence_in_lab(notebook, run_code, tmp_path):
    page = notebook("beam_record", [SENTENCES, "widget", "pass"])
    origin = page.locator(".beam-origin")
    put(page, "Beam width", "7")
    expect(origin).to_contain_text("The record does not reach here")
    page.get_by_label("Beam width").press("Enter")
    expect(origin).to_contain_text("Searched anew by the model, for the record did not reach: at step")
    put(page, "Alpha", "0.2")  # the new search is recorded too
    expect(origin).to_have_text("Replayed from the record, without the model.")
    sentence = page.get_by_label("Your sentence")
    sentence.fill("  ")
    sentence.press("Enter")
    expect(page.locator(".course-form [role=alert]")).to_have_text("There is nothing to search.")
    sentence.fill("another <b>one</b>")
    sentence.press("Enter")
    expect(page.locator(".beam-facts")).to_contain_text("source: another <b>one</b>")
    told = run_code(
        page, "print([widget.trace.source, widget.trace.beam_size, len(widget.trace), widget.view['alpha']])"
    )
    assert json.loads(told.replace("'", '"')) == ["another <b>one</b>", 7, len(shown(page)), 0.2]
    with page.expect_download() as download:
        page.get_by_role("button", name="HTML", exact=True).click()
    assert "another \\u003cb>" in download.value.path().read_text(encoding="utf-8")
