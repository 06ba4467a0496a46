"""Diagrams of recurrent networks and of what takes their place: one step, or some steps side by side."""

from course_lib.figures.diagrams import Arrow, Box, Diagram, Frame, chain


def unrolled_rnn() -> Diagram:
    """Draw the vanilla network once with its loop, and again unrolled over three steps.

    Elman 1990; Goodfellow, Bengio and Courville 2016, figure 10.3.
    """
    boxes = [Box("x", "x_t", 0, 2.8, "input"), Box("h", "h_t", 0, 1.4, "state", 0.7)]
    boxes += [Box("y", "ŷ_t", 0, 0, "output"), Box("h0", "h_0", 2.4, 1.4, "state", 0.7)]
    loop = ((1.0, 1.25), (1.0, 1.55))
    arrows = [
        Arrow("x", "h", "W_{xh}"),
        Arrow("h", "y", "W_{hy}"),
        Arrow("h", "h", "W_{hh}", loop, dashed=True),
    ]
    for t in (1, 2, 3):
        x = 2.4 + 1.6 * t
        boxes += [Box(f"x{t}", f"x_{t}", x, 2.8, "input"), Box(f"h{t}", f"h_{t}", x, 1.4, "state", 0.7)]
        boxes.append(Box(f"y{t}", f"ŷ_{t}", x, 0, "output"))
        arrows += [Arrow(f"x{t}", f"h{t}", "W_{xh}"), Arrow(f"h{t}", f"y{t}", "W_{hy}")]
        arrows.append(Arrow(f"h{t - 1}", f"h{t}", "W_{hh}"))
    return Diagram(
        "A recurrent network, with its loop and unrolled",
        "On the left one state h_t reads x_t, gives ŷ_t, and a dashed loop leads from it back to itself, "
        "one step later. On the right the loop is unrolled: h_0, h_1, h_2, h_3 in a chain, each with an "
        "input below and an output above. The arrows of all steps bear the same names: W_xh, W_hh, W_hy.",
        tuple(boxes),
        tuple(arrows),
        (Frame("with its loop", -0.5, -1, 1.35, 3.3), Frame("unrolled", 1.8, -1, 7.7, 3.3)),
    )


def lstm_cell(step: int = 3) -> Diagram:
    """Draw the LSTM as it grows: its gates (1), what is written (2), what is shown (3), which is all of it.

    Hochreiter and Schmidhuber 1997, with the forget gate of Gers, Schmidhuber and Cummins 2000.

    Args:
        step: 1, 2 or 3.

    Raises:
        ValueError: no such step.
    """
    if step not in (1, 2, 3):
        raise ValueError(f"step is {step}; allowed are 1, 2 and 3")
    boxes, arrows = _memory("h_{t−1}", "x_t", "c", "h_t", "W_x x_t + W_h h_{t−1} + b")
    last = {"c_old": 2, "keep": 2, "write": 2, "sum": 2, "c": 2, "tanh": 3, "show": 3, "h": 3}
    kept = [box for box in boxes if last.get(box.name, 1) <= step]
    names = {box.name for box in kept}
    told = (
        "x_t and h_t−1 make one vector a, which is split in four for f, i, g and o.",
        " The old cell c_t−1 times f, plus i times g, is the new cell c_t; its way crosses no matrix.",
        " The new cell goes through tanh, times o, and is h_t.",
    )
    return Diagram(
        ("An LSTM: its gates", "An LSTM: what is written", "An LSTM")[step - 1],
        "".join(told[:step]),
        tuple(kept),
        tuple(arrow for arrow in arrows if {arrow.start, arrow.end} <= names),
    )


def conv_lstm_cell() -> Diagram:
    """Draw the ConvLSTM: the LSTM's plan with convolutions and peepholes. Shi et al. 2015, equation 3."""
    boxes, arrows = _memory("H_{t−1}", "X_t", "C", "H_t", "W_x ∗ X_t + W_h ∗ H_{t−1} + b")
    peepholes = (
        Arrow("c_old", "f", "P_f", ((-0.15, 2.6),), dashed=True),
        Arrow("c_old", "i", "P_i", ((0.2, 0.8), (2.6, 0.8)), dashed=True),
        Arrow("c", "o", "P_o", ((6.9, 0.8), (5.7, 0.8)), dashed=True),
    )
    return Diagram(
        "A ConvLSTM",
        "The plan of an LSTM. States and inputs are images, the products are convolutions ∗. Dashed "
        "peepholes: the gates f and i see the old cell C_t−1, the gate o sees the new one, C_t.",
        tuple(boxes),
        (*arrows, *peepholes),
    )


def _memory(h_old: str, x: str, c: str, h: str, product: str) -> tuple[list[Box], list[Arrow]]:
    """Return boxes and arrows of a cell c behind the gates f, i and o."""
    boxes = [
        Box("c_old", f"{c}_{{t−1}}", 0, 0, "state"),
        Box("keep", "⊙", 1.2, 0, "sign"),
        Box("sum", "+", 4.3, 0, "sign"),
        Box("c", f"{c}_t", 7.1, 0, "state"),
        Box("write", "⊙", 4.3, 1.2, "sign"),
        Box("tanh", "tanh", 7.1, 1.4),
        Box("show", "⊙", 7.1, 2.6, "sign"),
        Box("h", h, 8.3, 2.6, "output"),
        Box("f", "f = σ", 1.2, 2.6),
        Box("i", "i = σ", 2.85, 2.6),
        Box("g", "g = tanh", 4.3, 2.6),
        Box("o", "o = σ", 5.8, 2.6),
        Box("a", f"a = {product}", 3.5, 4.0, width=5.8),
        Box("h_old", h_old, 0, 4.0, "state"),
        Box("x", x, 3.5, 5.2, "input"),
    ]
    arrows = [Arrow("h_old", "a"), Arrow("x", "a"), *(Arrow("a", gate, f"a_{gate}") for gate in "figo")]
    arrows += [*chain("c_old", "keep", "sum", "c", "tanh", "show", "h"), *chain("g", "write", "sum")]
    arrows += [Arrow("f", "keep"), Arrow("i", "write", via=((2.85, 1.2),)), Arrow("o", "show")]
    return boxes, arrows


def gru_cell(reset: str) -> Diagram:
    """Draw the GRU in one of its two forms: r before the matrix U_n, or behind it.

    Cho et al. 2014, equations 5 to 8; reset after the matrix is the form of cuDNN.

    Args:
        reset: "before" or "after".

    Raises:
        ValueError: no such form.
    """
    if reset not in ("before", "after"):
        raise ValueError(f"reset is {reset!r}; allowed are 'before' and 'after'")
    first, second = ("reset", "U") if reset == "before" else ("U", "reset")
    x = {first: 0.8, second: 1.8}
    boxes = [Box("h_old", "h_{t−1}", 0, 0, "state"), Box("h", "h_t", 3.7, -1.2, "state")]
    boxes += [Box("keep", "⊙", 2.4, 0, "sign"), Box("sum", "+", 3.7, 0, "sign")]
    boxes += [Box("z", "z = σ", 2.4, 1.3), Box("take", "⊙", 3.7, 1.3, "sign")]
    boxes += [Box("U", "U_n" if reset == "before" else "U_n, b_h", x["U"], 2.6)]
    boxes += [Box("reset", "⊙", x["reset"], 2.6, "sign"), Box("n", "n = tanh", 3.7, 2.6)]
    boxes += [Box("r", "r = σ", x["reset"], 3.9), Box("x", "x_t", 2.4, 5.2, "input")]
    arrows = [*chain("h_old", "keep", "sum", "h"), *chain(first, second, "n", "take", "sum")]
    arrows += [Arrow("z", "keep", "z"), Arrow("z", "take", "1 − z"), Arrow("r", "reset")]
    arrows += [Arrow("h_old", first, via=((0, 2.6),)), Arrow("h_old", "r", "U_r", ((0, 3.9),))]
    arrows += [Arrow("h_old", "z", "U_z", ((0, 1.3),)), Arrow("x", "z", "W_z")]
    arrows += [Arrow("x", "r", "W_r", ((x["reset"], 5.2),)), Arrow("x", "n", "W_n", ((3.7, 5.2),))]
    return Diagram(
        f"A GRU, reset {reset} the matrix",
        "The new state is z times the old one plus 1 − z times the candidate n. The old state reaches n "
        + ("times r, then through U_n." if reset == "before" else "through U_n and b_h, then times r.")
        + " r and z read x_t and the old state.",
        tuple(boxes),
        tuple(arrows),
    )


def tcn_block() -> Diagram:
    """Draw the residual block of a temporal convolutional network. Bai et al. 2018, figure 1 (b)."""
    boxes = [Box("x", "x", 0, 0, "input"), Box("sum", "+", 5.7, 2, "sign"), Box("last", "ReLU", 6.6, 2)]
    boxes.append(Box("around", "x′ = x, or a 1×1 convolution if widths differ", 2.9, 3.7))
    boxes.append(Box("out", "block(x)", 7.9, 2, "output"))
    for row in (1, 2):
        y = 2.0 * row - 2
        boxes.append(Box(f"conv{row}", "causal convolution,\ndilation d,\nweight norm", 1.7, y))
        boxes += [Box(f"relu{row}", "ReLU", 3.5, y), Box(f"dropout{row}", "dropout", 4.7, y)]
    arrows = [*chain("x", "conv1", "relu1", "dropout1"), Arrow("dropout1", "conv2", via=((4.7, 1), (1.7, 1)))]
    arrows += chain("conv2", "relu2", "dropout2", "sum", "last", "out")
    arrows += [Arrow("x", "around", via=((0, 3.7),)), Arrow("around", "sum", via=((5.7, 3.7),))]
    return Diagram(
        "A block of a temporal convolutional network",
        "Twice in a row: a causal convolution with dilation d and weight norm, ReLU, dropout. This is G(x). "
        "A way around it carries x, through a 1×1 convolution where widths differ. The two are added, then "
        "ReLU.",
        tuple(boxes),
        tuple(arrows),
        (Frame("G(x)", 0.45, -1.15, 5.3, 2.9),),
    )


def echo_state_network() -> Diagram:
    """Draw a reservoir, which is fixed, with its readout, which is learned. Jaeger 2001, figure 1."""
    places = {"a": (2.6, 0.6), "b": (3.9, 0.2), "c": (3.2, 1.8), "d": (4.6, 1.5), "e": (4.2, 2.8)}
    places["f"] = (2.5, 2.9)
    boxes = [Box(name, "", *place, "state", 0.36, 0.5625) for name, place in places.items()]
    boxes += [Box("u", "1, u(n)", 0, 1.8, "input"), Box("readout", "W_{out} [1; u(n); x(n)]", 6.9, 1.5)]
    boxes += [Box("y", "y(n)", 8.8, 1.5, "output")]
    arrows = [Arrow("u", "a", "W_{in}"), Arrow("u", "c"), Arrow("u", "f")]
    arrows += [*chain(*"abca"), *chain(*"bdecfe"), *chain("d", "readout", "y")]
    arrows += [Arrow("b", "readout"), Arrow("e", "readout")]
    arrows += [Arrow("u", "readout", "u(n) goes to the readout, too", ((0, -1.3), (6.9, -1.3)))]
    arrows += [Arrow("y", "e", "W_{fb}, if there is feedback", ((8.8, 4.1), (4.2, 4.1)), dashed=True)]
    return Diagram(
        "An echo state network",
        "The input u(n) goes to units of a reservoir, which are linked at random, in cycles, by W. W_in, W "
        "and the optional feedback W_fb from the output are never trained. Only W_out is learned: it reads "
        "the input and all units, and gives y(n).",
        tuple(boxes),
        tuple(arrows),
        (
            Frame("reservoir x(n): W at random, fixed", 1.9, -0.75, 5.15, 3.45),
            Frame("learned", 5.65, 0.45, 8.15, 2.0),
        ),
    )
