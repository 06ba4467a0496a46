"""Diagrams of recurrent translation models. Target positions are i, source positions j, as in lecture 11."""

from course_lib.figures.diagrams import Arrow, Box, Diagram, Frame, chain

# What the decoder steps share, so that they can be compared side by side.
_PLAN = (
    Box("h", "h_1 … h_S", 0.9, 7.0, "state", 1.4),
    Box("s_old", "s_{i−1}", 2.75, 5.6, "state", 0.9),
    Box("gru", "GRU", 2.75, 3.3, width=0.9),
    Box("y_old", "y_{i−1}", 3.95, 3.3, "input"),
    Box("s", "s_i", 2.75, 2.2, "state", 0.9),
    Box("readout", "softmax of\nthe readout", 2.75, 0.9),
    Box("y", "y_i", 2.75, -0.5, "output", 0.9),
)
_LOOK = (
    Box("score", "score e_{ij}", 0.9, 5.6, width=1.4),
    Box("softmax", "softmax α_{ij}", 0.9, 4.45, width=1.4),
    Box("sum", "Σ_j α_{ij} h_j", 0.9, 3.3, width=1.4),
)
_LOOKING = (
    *chain("h", "score", "softmax", "sum"),
    Arrow("h", "sum", via=((-0.1, 7.0), (-0.1, 3.3))),
)


def deep_encoder_decoder() -> Diagram:
    """Draw two LSTMs of two layers: one reads the source backwards, its last states start the other.

    Sutskever, Vinyals and Le 2014, figure 1 and section 3.3.
    """
    boxes, arrows = [], []
    inputs = ("x_3", "x_2", "x_1", "<s>", "y_1", "y_2")
    for column, read in enumerate(inputs):
        x = 1.35 * column + (0.9 if column > 2 else 0)
        boxes.append(Box(f"in{column}", read, x, 3.9, "input", 0.6))
        boxes += [Box(f"{layer}.{column}", "LSTM", x, 3.9 - 1.3 * layer, "state") for layer in (1, 2)]
        arrows += [Arrow(f"in{column}", f"1.{column}"), Arrow(f"1.{column}", f"2.{column}")]
        if column:
            label = "h, c" if column == 3 else ""
            arrows += [Arrow(f"{layer}.{column - 1}", f"{layer}.{column}", label) for layer in (1, 2)]
        if column > 2:
            boxes.append(Box(f"out{column}", f"y_{column - 2}", x, 0, "output", 0.6))
            arrows.append(Arrow(f"2.{column}", f"out{column}"))
    return Diagram(
        "Encoder and decoder, two deep LSTMs",
        "The encoder reads the source backwards: x_3, x_2, x_1, through two layers. Its last h and c, one "
        "pair a layer, start the decoder; nothing else passes between them. The decoder reads the mark of "
        "the beginning, then each word that is written, and gives y_1, y_2, y_3.",
        tuple(boxes),
        tuple(arrows),
        (Frame("encoder", -0.55, -0.95, 3.25, 4.4), Frame("decoder", 4.4, -0.95, 8.2, 4.4)),
    )


def cho_step() -> Diagram:
    """Draw one step of the decoder without attention. Cho et al. 2014, equations 8 and 9."""
    return Diagram(
        "One step without attention",
        "The last encoder states make the summary c, the same at every step. GRU reads c, y_i−1 and s_i−1, "
        "and gives s_i. The readout of s_i, y_i−1 and c guesses y_i.",
        (*_PLAN, Box("c", "summary c", 0.9, 3.3, "state")),
        (Arrow("h", "c", "last states"), *_step_of("c")),
    )


def bahdanau_step() -> Diagram:
    """Draw one step of Bahdanau's decoder: look with s_{i−1}, then step. Bahdanau et al. 2015, A.2.2."""
    return Diagram(
        "Bahdanau: look, then step",
        "The previous state s_i−1 is scored against each encoder state h_j; softmax gives weights, their "
        "sum of the h_j is c_i. GRU reads c_i, y_i−1 and s_i−1, and gives s_i. The readout of s_i, y_i−1 "
        "and c_i guesses y_i.",
        (*_PLAN, *_LOOK),
        (*_LOOKING, Arrow("s_old", "score", "asks"), *_step_of("sum", "c_i")),
    )


def luong_step() -> Diagram:
    """Draw one step of Luong's decoder: step, then look with s_i; h̃_i feeds the next step.

    Luong, Pham and Manning 2015, figures 2 and 4.
    """
    boxes = (
        Box("h", "h_1 … h_S", 0.9, 7.0, "state", 1.4),
        Box("s_old", "s_{i−1}", 4.3, 6.5, "state", 1.2),
        Box("fed", "y_{i−1}, h̃_{i−1}", 4.3, 7.5, "input", 1.2),
        Box("gru", "GRU", 2.75, 7.0, width=0.9, height=1.5),
        Box("s", "s_i", 2.75, 5.6, "state", 0.9),
        Box("join", "tanh(W_c\n[c_i; s_i])", 2.75, 3.3),
        Box("h̃", "h̃_i", 2.75, 2.2, "state", 0.9),
        Box("next", "next step", 4.3, 2.2),
        Box("readout", "softmax of\nthe readout", 2.75, 0.9),
        Box("y", "y_i", 2.75, -0.5, "output", 0.9),
    )
    arrows = [*chain("s_old", "gru", "s", "join", "h̃", "readout", "y"), Arrow("fed", "gru")]
    arrows += [Arrow("s", "score", "asks"), Arrow("sum", "join", "c_i"), Arrow("h̃", "next", dashed=True)]
    return Diagram(
        "Luong: step, then look",
        "GRU reads y_i−1, h̃_i−1 and s_i−1, and gives s_i. The current state s_i is scored against each "
        "encoder state h_j; softmax gives weights, their sum of the h_j is c_i. h̃_i = tanh(W_c [c_i; s_i]) "
        "guesses y_i and, dashed, feeds the next step.",
        (*boxes, *_LOOK),
        (*_LOOKING, *arrows),
    )


def gnmt() -> Diagram:
    """Draw GNMT with four layers on either side. Wu et al. 2016, figure 1, with fewer layers."""
    boxes, arrows = [], []
    for side, x, read, bottom in (
        ("encoder", 0.0, "x_1 … x_S", "LSTM, both\ndirections"),
        ("decoder", 5.2, "y_{i−1}", "LSTM"),
    ):
        layers = [Box(f"{side}.{i}", "LSTM", x, (-2.8, -4.1, -6.2)[i - 2], "state") for i in (2, 3, 4)]
        sums = [Box(f"{side}.sum{i}", "+", x, y, "sign") for i, y in ((3, -5.1), (4, -7.2))]
        boxes += [Box(f"{side}.in", read, x, 0, "input"), Box(f"{side}.1", bottom, x, -1.4, "state")]
        boxes += [*layers, *sums]
        names = ("in", "1", "2", "3", "sum3", "4", "sum4")
        arrows += chain(*(f"{side}.{name}" for name in names))
        way = x + (0.75 if side == "decoder" else -0.75)
        back = x + (1.15 if side == "decoder" else -1.15)
        arrows.append(Arrow(f"{side}.2", f"{side}.sum3", via=((way, -2.8), (way, -5.1))))
        arrows.append(Arrow(f"{side}.sum3", f"{side}.sum4", via=((back, -5.5), (back, -7.2))))
    boxes += [
        Box("h", "h_1 … h_S", 0, -8.3, "state"),
        Box("asks", "s^1_{i−1}", 2.6, 0, "state"),
        Box("attention", "attention", 2.6, -1.4),
        Box("c", "c_i", 2.6, -3.4, "state"),
        Box("softmax", "softmax", 5.2, -8.3),
        Box("y", "y_i", 5.2, -9.4, "output"),
    ]
    arrows += [*chain("encoder.sum4", "h"), *chain("decoder.sum4", "softmax", "y")]
    arrows += [Arrow("h", "attention", via=((1.5, -8.3), (1.5, -1.4))), *chain("asks", "attention", "c")]
    arrows += [Arrow("c", f"decoder.{i}") for i in (1, 2, 3, 4)] + [Arrow("c", "softmax")]
    return Diagram(
        "GNMT, four layers",
        "The encoder, from the bottom up: an LSTM that reads in both directions, then three that read from "
        "the left. From the third on, what a layer reads is added to what it writes. One attention looks at "
        "the encoder's last states h_1 … h_S. It is asked by the state of the decoder's bottom layer of the "
        "step before, and gives c_i to all four layers of the decoder, which have the same additions, and to "
        "the softmax.",
        tuple(boxes),
        tuple(arrows),
        (Frame("encoder", -1.35, -9.1, 0.9, 0.45), Frame("decoder", 4.35, -10.3, 6.55, 0.45)),
    )


def convs2s_layer() -> Diagram:
    """Draw a decoder layer of ConvS2S. Gehring et al. 2017, sections 3.2 and 3.3."""
    boxes = [
        Box(f"x{i}", f"x_{{{place}}}", 0, i, "input", 0.7) for i, place in enumerate(("i−2", "i−1", "i"))
    ]
    boxes += [
        Box("convolution", "convolution", 1.5, 1),
        Box("a", "a", 2.75, 0.3, "state"),
        Box("b", "σ(b)", 2.75, 1.7, "state"),
        Box("gate", "⊙", 3.5, 1, "sign"),
        Box("attention", "attention, asked\nby W h_i + g_i", 5.1, 1),
        Box("source", "z_j and e_j\nof the source", 5.1, -0.7, "input"),
        Box("inner", "sum · √½", 7.0, 1),
        Box("outer", "sum · √½", 8.4, 1),
        Box("new", "new x_i", 9.7, 1, "output"),
    ]
    arrows = [*(Arrow(f"x{i}", "convolution") for i in range(3)), *chain("convolution", "a", "gate")]
    arrows += [*chain("convolution", "b", "gate"), *chain("gate", "attention", "inner", "outer", "new")]
    arrows += [Arrow("source", "attention"), Arrow("gate", "inner", "h_i", ((3.5, 2.4), (7.0, 2.4)))]
    arrows.append(Arrow("x2", "outer", "x_i", ((0, 3.3), (8.4, 3.3))))
    return Diagram(
        "A decoder layer of ConvS2S",
        "A convolution reads x_i and the positions before it, and gives a and b. The gate is a times σ(b): "
        "h_i. Attention is asked by W h_i + g_i, where g_i is the embedded word that was written last. What "
        "it finds in the source is added to h_i, then x_i is added; the root of one half scales each sum. "
        "An encoder layer is the same without attention, and reads on both sides.",
        tuple(boxes),
        tuple(arrows),
    )


def character_step() -> Diagram:
    """Draw one step of a decoder that writes characters. Chung, Cho and Bengio 2016, section 3."""
    above = (
        Box("upper_old", "s^2_{i−1}", 4.2, 2.0, "state", 0.9),
        Box("lower", "GRU", 2.75, 4.2, width=0.9),
        Box("lower_new", "s^1_i", 2.75, 3.1, "state", 0.9),
        Box("upper", "GRU", 2.75, 2.0, width=0.9),
        Box("upper_new", "s^2_i", 2.75, 0.9, "state", 0.9),
        Box("readout", "softmax of\nthe readout", 2.75, -0.4),
        Box("y", "character y_i", 2.75, -1.8, "output", 0.9),
    )
    boxes = (
        Box("h", "h_1 … h_S\nof word pieces", 0.9, 7.4, "state", 1.4),
        Box("lower_old", "s^1_{i−1}", 2.75, 6.0, "state", 0.9),
        Box("y_old", "character\ny_{i−1}", 4.2, 4.2, "input"),
        Box("look", "attention", 0.9, 6.0, width=1.4),
        Box("c", "c_i", 0.9, 4.2, "state"),
    )
    arrows = [*chain("h", "look", "c"), Arrow("lower_old", "look", "asks"), Arrow("lower_old", "lower")]
    arrows += chain("lower", "lower_new", "upper", "upper_new", "readout", "y")
    arrows += [Arrow("upper_old", "upper"), Arrow("y_old", "lower"), Arrow("c", "lower")]
    arrows += [Arrow("c", "upper", via=((0.9, 2.0),)), Arrow("c", "readout", via=((0.9, -0.4),))]
    arrows.append(Arrow("y_old", "readout", via=((5.1, 4.2), (5.1, -0.4))))
    return Diagram(
        "One step of the character decoder",
        "The encoder has read word pieces. The lower state of the step before asks the attention, which "
        "gives c_i. The lower GRU reads the character before, c_i and its own state; the upper GRU reads the "
        "new lower state, c_i and its own state. The readout of the upper state, the character before and "
        "c_i guesses the next character.",
        (*boxes, *above),
        tuple(arrows),
    )


def _step_of(context: str, name: str = "") -> tuple[Arrow, ...]:
    """Return the arrows of a step that reads a context, from the box of this name."""
    return (
        *chain("s_old", "gru", "s", "readout", "y"),
        Arrow("y_old", "gru"),
        Arrow("y_old", "readout", via=((3.95, 0.9),)),
        Arrow(context, "gru", name),
        Arrow(context, "readout", via=((0.9, 0.9),)),
    )
