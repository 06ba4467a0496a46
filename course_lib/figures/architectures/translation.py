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


def _step_of(context: str, name: str = "") -> tuple[Arrow, ...]:
    """Return the arrows of a step that reads a context, from the box of this name."""
    return (
        *chain("s_old", "gru", "s", "readout", "y"),
        Arrow("y_old", "gru"),
        Arrow("y_old", "readout", via=((3.95, 0.9),)),
        Arrow(context, "gru", name),
        Arrow(context, "readout", via=((0.9, 0.9),)),
    )
