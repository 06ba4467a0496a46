import math
import re
from itertools import combinations, pairwise
from xml.etree import ElementTree

import pytest
from matplotlib import font_manager

from course_lib.figures.architectures import recurrent, transformer, translation, words
from course_lib.figures.diagrams import (
    COLOURS,
    Arrow,
    Box,
    Diagram,
    chain,
    label_rectangle,
    side_by_side,
    text_width,
)
from course_lib.figures.theme import DARK, LIGHT

SVG = "{http://www.w3.org/2000/svg}"
SINGLE = {
    "unrolled RNN": recurrent.unrolled_rnn(),
    **{f"LSTM, step {step}": recurrent.lstm_cell(step) for step in (1, 2, 3)},
    **{f"GRU, reset {form}": recurrent.gru_cell(form) for form in ("before", "after")},
    "TCN": recurrent.tcn_block(),
    "ConvLSTM": recurrent.conv_lstm_cell(),
    "echo state network": recurrent.echo_state_network(),
    "CBOW": words.cbow(),
    "skip-gram": words.skip_gram(),
    "two-sided": words.two_sided_language_model(),
    "Sutskever": translation.deep_encoder_decoder(),
    "Cho": translation.cho_step(),
    "Bahdanau": translation.bahdanau_step(),
    "Luong": translation.luong_step(),
    "GNMT": translation.gnmt(),
    "ConvS2S": translation.convs2s_layer(),
    "characters": translation.character_step(),
    **{f"self-attention {learned}": transformer.self_attention(learned) for learned in (True, False)},
    "multi-head": transformer.multi_head_attention(),
    **{f"encoder, {norm}": transformer.encoder_layer(norm) for norm in ("pre", "post")},
    **{f"decoder, {norm}": transformer.decoder_layer(norm) for norm in ("pre", "post")},
    "Transformer": transformer.transformer(),
    **{f"one stack, causal {causal}": transformer.one_stack(causal) for causal in (True, False)},
}
PAIRS = {
    "GRUs": side_by_side("Two forms", SINGLE["GRU, reset before"], SINGLE["GRU, reset after"]),
    "words": side_by_side("Two questions", SINGLE["CBOW"], SINGLE["skip-gram"]),
    "attention": side_by_side("Two orders", SINGLE["Bahdanau"], SINGLE["Luong"]),
    "decoders": side_by_side("Two places", SINGLE["decoder, pre"], SINGLE["decoder, post"]),
}
DRAWN = SINGLE | PAIRS
every_diagram = pytest.mark.parametrize("diagram", DRAWN.values(), ids=DRAWN)


def links(diagram):
    """(label, label) of each arrow's ends; lines and marks of a label are joined."""
    plain = {box.name: re.sub(r"[{}\n]", "", box.label) for box in diagram.boxes}
    return {(plain[arrow.start], plain[arrow.end]) for arrow in diagram.arrows}


def leads(diagram, start, end, without=()):
    """Whether a way leads from a box to another, past none of some boxes."""
    seen, todo = set(without), [start]
    while todo:
        name = todo.pop()
        if name == end:
            return True
        if name not in seen:
            seen.add(name)
            todo += [arrow.end for arrow in diagram.arrows if arrow.start == name]
    return False


def overlap(one, other):
    return min(one[2], other[2]) > max(one[0], other[0]) and min(one[3], other[3]) > max(one[1], other[1])


def drawn_texts(svg, kind=None):
    """Rectangles of text elements, measured in DejaVu Sans, a wide font."""
    font = font_manager.get_font(font_manager.findfont("DejaVu Sans"))
    for text in ElementTree.fromstring(svg).iter(f"{SVG}text"):
        if text.get("class") != kind:
            continue
        width = 0.0
        for span in text:
            font.set_size(float(span.get("font-size", 18)), 72)
            font.set_text(span.text)
            width += font.get_width_height()[0] / 64
        x, y = float(text.get("x")), float(text.get("y"))
        left = x if kind == "frame-label" else x - width / 2
        yield "".join(text.itertext()), (left, y - 14, left + width, y + 2)


def test_an_arrow_to_no_box_is_refused_by_name():
    with pytest.raises(ValueError, match=r"arrow from 'a' to 'c': there is no box 'c'; the boxes are \['a'"):
        Diagram("t", "a", (Box("a", "a", 0, 0), Box("b", "b", 1, 0)), (Arrow("a", "c"),))


def test_bad_diagrams_are_refused():
    one = Box("a", "a", 0, 0)
    with pytest.raises(ValueError, match="share the names \\['a'\\]"):
        Diagram("t", "alt", (one, one), ())
    with pytest.raises(ValueError, match="from 'a' to itself: via is"):
        Diagram("t", "alt", (one,), (Arrow("a", "a"),))
    with pytest.raises(ValueError, match="title and alt"):
        Diagram("t", " ", (one,), ())
    with pytest.raises(ValueError, match="step is 4"):
        recurrent.lstm_cell(4)
    with pytest.raises(ValueError, match="reset is 'never'"):
        recurrent.gru_cell("never")
    with pytest.raises(ValueError, match="norm is 'both'"):
        transformer.decoder_layer("both")
    with pytest.raises(ValueError, match="kind of box 'a' is 'gate'"):
        Box("a", "a", 0, 0, "gate")


def test_only_a_causal_stack_keeps_later_words_from_a_position():
    for causal in (True, False):
        arrows = {(arrow.start, arrow.end) for arrow in transformer.one_stack(causal).arrows}
        seen = {(f"x{j}", f"h{i}") for j in range(4) for i in range(4) if j <= i or not causal}
        assert arrows - {(f"h{i}", f"y{i}") for i in range(4)} == seen
    assert ("position 2", "dog") in links(transformer.one_stack(causal=False))


@every_diagram
def test_boxes_do_not_overlap(diagram):
    for one, other in combinations(diagram.boxes, 2):
        assert not overlap(one.rectangle, other.rectangle), (one.name, other.name)


@every_diagram
def test_text_stays_in_its_box_and_labels_of_arrows_stay_out(diagram):
    boxes = [box.rectangle for box in diagram.boxes]
    svg = diagram.svg()
    for text, (left, top, right, bottom) in drawn_texts(svg):
        assert any(b[0] < left and b[1] < top and right < b[2] and bottom < b[3] for b in boxes), text
    labels = [*drawn_texts(svg, "halo"), *drawn_texts(svg, "frame-label")]
    for text, rectangle in labels:
        assert not any(overlap(rectangle, box) for box in boxes), text
    for (one, here), (other, there) in combinations(labels, 2):
        assert not overlap(here, there), (one, other)


@every_diagram
def test_arrows_go_from_border_to_border_and_through_no_other_box(diagram):
    for arrow in diagram.arrows:
        way = diagram.way(arrow)
        for point, name in ((way[0], arrow.start), (way[-1], arrow.end)):
            left, top, right, bottom = diagram.box(name).rectangle
            x, y = point
            if diagram.box(name).kind == "sign":
                from_centre = math.dist(point, ((left + right) / 2, (top + bottom) / 2))
                assert from_centre == pytest.approx((right - left) / 2)
            else:
                assert left - 1e-6 <= x <= right + 1e-6 and top - 1e-6 <= y <= bottom + 1e-6
        for box in diagram.boxes:
            if box.name in (arrow.start, arrow.end):
                continue
            left, top, right, bottom = box.rectangle
            for (x, y), (x_end, y_end) in pairwise(way):
                for share in range(101):
                    at = x + (x_end - x) * share / 100, y + (y_end - y) * share / 100
                    assert not (left < at[0] < right and top < at[1] < bottom), (arrow, box.name)


@every_diagram
def test_svg_has_a_role_and_words_and_all_of_it_is_in_view(diagram):
    root = ElementTree.fromstring(diagram.svg())
    assert root.get("role") == "img"
    assert root.find(f"{SVG}title").text == diagram.title
    assert root.find(f"{SVG}desc").text == diagram.alt
    left, top, width, height = map(float, root.get("viewBox").split())
    texts = [*drawn_texts(diagram.svg()), *drawn_texts(diagram.svg(), "halo")]
    texts += drawn_texts(diagram.svg(), "frame-label")
    for text, (x, y, x_end, y_end) in texts:
        assert left <= x and top <= y and x_end <= left + width and y_end <= top + height, text
    assert width <= 1100  # a slide is 1280 pixels wide; what is wider gets small letters


def test_marks_of_html_are_escaped_everywhere():
    boxes = (Box("a", "<s>", 0, 0), Box("b", "a & b", 2, 0))
    diagram = Diagram("<s> & </s>", 'the mark "<s>"', boxes, (Arrow("a", "b", "<b>"),))
    root = ElementTree.fromstring(diagram.svg())
    assert ["".join(text.itertext()) for text in root.iter(f"{SVG}text")] == ["<s>", "a & b", "<b>"]
    assert "<s>" not in diagram.html()
    shown = diagram._repr_mimebundle_()
    assert shown["text/plain"] == '<s> & </s>. the mark "<s>"'
    assert ElementTree.fromstring(shown["text/html"]).tag == "figure"


def test_a_file_has_plain_colours_and_a_page_those_of_its_theme(tmp_path):
    saved = DRAWN["TCN"].save(tmp_path / "tcn.svg").read_text(encoding="utf8")
    assert saved == DRAWN["TCN"].svg() and "var(" not in saved  # not every program knows CSS variables
    assert f'fill="{LIGHT.paper}"' in saved and f'fill="{DARK.paper}"' in DRAWN["TCN"].svg(DARK)
    assert "fill:var(--ink)" in DRAWN["TCN"].html()


@pytest.mark.parametrize(
    "label", ["mmmm WWW", "√Σ⊙→", "ABCDEFGHN", "illicit fjords (1.1)", "h_{t−1,www}^{MM}"]
)
def test_a_label_is_never_wider_than_its_estimate(label):
    svg = Diagram("t", "a", (Box("a", label, 0, 0),), ()).svg()
    ((_, (left, _, right, _)),) = drawn_texts(svg)
    assert right - left <= text_width(label)


def test_lowered_and_raised_characters_come_back_to_the_line():
    root = ElementTree.fromstring(Diagram("t", "a", (Box("a", "W^⊤ h_{t−1} + b", 0, 0),), ()).svg())
    (text,) = root.iter(f"{SVG}text")
    assert [span.text for span in text] == ["W", "⊤", " h", "t−1", " + b"]
    heights = [sum(float(span.get("dy")) for span in text[: i + 1]) for i in range(5)]
    assert heights[0] == heights[2] == heights[4] == 0
    assert heights[1] < 0 < heights[3]


@pytest.mark.parametrize("theme", [LIGHT, DARK], ids=["light", "dark"])
def test_text_stands_out_from_every_colour(theme):
    def channels(colour):
        return [int(colour[i : i + 2], 16) for i in (1, 3, 5)]

    def luminance(rgb):  # WCAG 2.1
        linear = [c / 12.92 if c <= 0.03928 else ((c + 0.055) / 1.055) ** 2.4 for c in (v / 255 for v in rgb)]
        return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]

    (opacity,) = {
        float(found) for found in re.findall(r'fill="#\w+" fill-opacity="([\d.]+)"', DRAWN["TCN"].html())
    }
    for colour in COLOURS.values():
        mixed = zip(channels(theme.paper), channels(colour), strict=True)
        behind = luminance([p + (c - p) * opacity for p, c in mixed])
        low, high = sorted((behind, luminance(channels(theme.ink))))
        assert (high + 0.05) / (low + 0.05) > 7


def test_a_label_lies_above_a_level_piece_and_right_of_a_steep_one():
    assert label_rectangle("abc", [(0, 0), (100, 0)])[3] < 0
    assert label_rectangle("abc", [(0, 0), (0, 100)])[0] > 0


def test_side_by_side_keeps_every_box_and_arrow_and_mixes_none():
    left, right = SINGLE["CBOW"], SINGLE["skip-gram"]
    both = PAIRS["words"]
    assert len(both.boxes) == len(left.boxes) + len(right.boxes)
    assert links(both) == links(left) | links(right)
    assert left.alt in both.alt and right.alt in both.alt
    edge = {box.name[0]: [] for box in both.boxes}
    for box in both.boxes:
        edge[box.name[0]] += [box.rectangle[0], box.rectangle[2]]
    assert max(edge["1"]) < min(edge["2"])


def test_a_chain_links_each_to_the_next():
    assert chain("a", "b", "c") == [Arrow("a", "b"), Arrow("b", "c")]


# What each drawing has to say.


def test_unrolling_copies_the_drawing_and_never_the_weights():
    arrows = DRAWN["unrolled RNN"].arrows
    assert {arrow.label for arrow in arrows} == {"W_{xh}", "W_{hh}", "W_{hy}"}
    (loop,) = [arrow for arrow in arrows if arrow.start == arrow.end]
    assert loop.dashed
    assert {("h_0", "h_1"), ("h_1", "h_2"), ("h_2", "h_3")} <= links(DRAWN["unrolled RNN"])


def test_gates_of_an_lstm_see_no_cell_and_those_of_a_conv_lstm_do():
    plain, conv = DRAWN["LSTM, step 3"], DRAWN["ConvLSTM"]
    from_cell = {("c_t−1", "⊙"), ("c_t", "tanh")}
    assert {link for link in links(plain) if link[0].startswith("c_")} == from_cell
    peepholes = [arrow for arrow in conv.arrows if arrow.dashed]
    assert {(arrow.start, arrow.end) for arrow in peepholes} == {("c_old", "f"), ("c_old", "i"), ("c", "o")}
    assert len(conv.arrows) == len(plain.arrows) + 3


def test_lstm_grows_step_by_step():
    names = [{box.name for box in DRAWN[f"LSTM, step {step}"].boxes} for step in (1, 2, 3)]
    assert names[0] < names[1] < names[2]
    assert "c" in names[1] - names[0] and "h" in names[2] - names[1]
    assert all(leads(DRAWN["LSTM, step 3"], start, "h") for start in names[2])


@pytest.mark.parametrize(("form", "first", "second"), [("before", "reset", "U"), ("after", "U", "reset")])
def test_reset_stands_on_its_side_of_the_matrix(form, first, second):
    gru = DRAWN[f"GRU, reset {form}"]
    assert {("h_old", first), (first, second), (second, "n")} <= {(a.start, a.end) for a in gru.arrows}
    assert leads(gru, "z", "h", without=("take",)) and leads(gru, "z", "h", without=("keep",))
    assert not leads(gru, "n", "h", without=("take",))
    assert ("b_h" in gru.box("U").label) == (form == "after")  # only there r scales a bias


def test_tcn_block_is_twice_the_same_and_a_way_around():
    block = DRAWN["TCN"]
    names = [block.box(f"{name}{row}").label for row in (1, 2) for name in ("conv", "relu", "dropout")]
    assert names[:3] == names[3:] and "weight norm" in names[0] and "dilation" in names[0]
    order = ["x", "conv1", "relu1", "dropout1", "conv2", "relu2", "dropout2", "sum", "last", "out"]
    assert set(pairwise(order)) < {(arrow.start, arrow.end) for arrow in block.arrows}
    assert leads(block, "x", "out", without=("conv1",)) and not leads(block, "x", "out", without=("sum",))


def test_only_the_readout_of_a_reservoir_is_learned_and_it_hears_input_and_states():
    network = DRAWN["echo state network"]
    random, learned = (
        {
            box.name
            for box in network.boxes
            if frame.left < box.x < frame.right and frame.top < box.y < frame.bottom
        }
        for frame in network.frames
    )
    assert learned == {"readout"}
    assert random == set("abcdef")
    into = {arrow.start for arrow in network.arrows if arrow.end == "readout"}
    assert "u" in into and into & random
    assert any(leads(network, arrow.end, "a", without="u") for arrow in network.arrows if arrow.start == "a")
    assert [arrow.dashed for arrow in network.arrows if arrow.start == "y"] == [True]


def test_cbow_reads_four_words_and_skip_gram_guesses_four():
    around = {"w_t−2", "w_t−1", "w_t+1", "w_t+2"}
    assert {start for start, end in links(DRAWN["CBOW"]) if end.startswith("h =")} == around
    assert {end for start, end in links(DRAWN["skip-gram"]) if start.startswith("softmax")} == around


def test_no_way_leads_from_one_direction_to_the_other_and_no_token_guesses_itself():
    model = DRAWN["two-sided"]
    for t in (1, 2, 3):
        assert not any(leads(model, f"right{t}", f"left{s}") for s in (1, 2, 3))
        assert not any(leads(model, f"left{t}", f"right{s}") for s in (1, 2, 3))
        guesses = [box for box in model.boxes if box.label == f"guess of x_{t}"]
        assert guesses
        assert not any(leads(model, f"x{t}", box.name) for box in guesses)


def test_encoder_and_decoder_are_linked_by_their_states_only():
    model = DRAWN["Sutskever"]
    between = [a for a in model.arrows if int(a.start[-1]) <= 2 < int(a.end[-1])]
    assert {(arrow.start, arrow.end) for arrow in between} == {("1.2", "1.3"), ("2.2", "2.3")}
    read = sorted((box for box in model.boxes if box.kind == "input"), key=lambda box: box.x)
    assert [box.label for box in read[:3]] == ["x_3", "x_2", "x_1"]


def test_bahdanau_asks_with_the_previous_state_and_luong_with_the_current_one():
    bahdanau, luong = DRAWN["Bahdanau"], DRAWN["Luong"]
    asks = {name: [s for s, e in links(DRAWN[name]) if e == "score e_ij"] for name in ("Bahdanau", "Luong")}
    assert set(asks["Bahdanau"]) == {"h_1 … h_S", "s_i−1"}
    assert set(asks["Luong"]) == {"h_1 … h_S", "s_i"}
    assert leads(bahdanau, "sum", "gru") and not leads(bahdanau, "s", "score")  # look, then step
    assert leads(luong, "gru", "score") and not leads(luong, "score", "gru")  # step, then look
    assert [arrow.end for arrow in luong.arrows if arrow.dashed] == ["next"]
    assert not leads(DRAWN["Cho"], "s_old", "c")  # the summary is the same at every step


def test_gnmt_adds_from_the_third_layer_on_and_its_bottom_layer_alone_waits_for_the_attention():
    model = DRAWN["GNMT"]
    for side in ("encoder", "decoder"):
        added = [{a.start for a in model.arrows if a.end == f"{side}.sum{i}"} for i in (3, 4)]
        assert added == [{f"{side}.2", f"{side}.3"}, {f"{side}.sum3", f"{side}.4"}]
        assert not leads(model, f"{side}.in", f"{side}.2", without=[f"{side}.1"])
    assert {a.start for a in model.arrows if a.end == "attention"} == {"h", "asks"}
    assert {a.end for a in model.arrows if a.start == "c"} == {
        *(f"decoder.{i}" for i in range(1, 5)),
        "softmax",
    }


def test_a_layer_of_convs2s_reads_the_past_and_a_way_leads_around_its_attention_and_around_all():
    model = DRAWN["ConvS2S"]
    assert {start for start, end in links(model) if end == "convolution"} == {"x_i−2", "x_i−1", "x_i"}
    assert {a.start for a in model.arrows if a.end == "inner"} == {"attention", "gate"}
    assert {a.start for a in model.arrows if a.end == "outer"} == {"inner", "x2"}


def test_the_lower_layer_of_the_character_decoder_asks_and_the_upper_one_says():
    model = DRAWN["characters"]
    assert {a.start for a in model.arrows if a.end == "look"} == {"h", "lower_old"}
    assert {a.start for a in model.arrows if a.end == "upper"} == {"lower_new", "c", "upper_old"}
    assert {a.start for a in model.arrows if a.end == "readout"} == {"upper_new", "c", "y_old"}


def test_queries_meet_keys_before_the_softmax_and_values_behind_it():
    for learned in (True, False):
        flow = DRAWN[f"self-attention {learned}"]
        assert {start for start, end in links(flow) if end.startswith("Q K")} == {"Q: ask", "K: are found"}
        assert not leads(flow, "V", "softmax") and leads(flow, "V", "out")
        assert ("√d" in flow.box("scores").label) == learned
        assert any(box.name == "W_Q" for box in flow.boxes) == learned


def test_heads_attend_side_by_side_and_meet_before_the_last_matrix():
    model, heads = DRAWN["multi-head"], ["head1", "head2", "head3"]
    for head in heads:
        others = [name for name in heads if name != head]
        assert leads(model, "X", "out", without=others) and not leads(model, head, others[0])
    assert not leads(model, "X", "out", without=["W_O"])
    assert not leads(model, "X", "out", without=heads)


@pytest.mark.parametrize("side", ["encoder", "decoder"])
def test_the_road_of_a_layer_is_free_of_norms_in_pre_norm_only(side):
    pre, post = DRAWN[f"{side}, pre"], DRAWN[f"{side}, post"]
    norms = [box.name for box in pre.boxes if box.label == "norm"]
    parts = [box.name for box in pre.boxes if box.name.startswith("part")]
    assert len(norms) == len(parts) == {"encoder": 2, "decoder": 3}[side]
    assert leads(pre, "x", "out", without=[*norms, *parts])
    for norm, part in zip(norms, parts, strict=True):
        assert not leads(post, "x", "out", without=[norm])
        assert leads(post, "x", "out", without=parts)
        assert not leads(pre, "x", part, without=[norm])
        assert (part, norm.replace("norm", "sum")) in {(a.start, a.end) for a in post.arrows}


def test_the_source_reaches_the_decoder_in_cross_attention_only():
    for norm in ("pre", "post"):
        assert ("source:K, V", "cross-attention") in links(DRAWN[f"decoder, {norm}"])
    whole = DRAWN["Transformer"]
    assert not leads(whole, "encoder.tokens", "out", without=["decoder.layer"])
    assert not leads(whole, "encoder.tokens", "decoder.layer", without=["encoder.norm"])
