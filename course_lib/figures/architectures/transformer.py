"""Diagrams of the Transformer: what attention reads, its layers, and the whole. Dropout is left out."""

from course_lib.figures.diagrams import Arrow, Box, Diagram, Frame, chain


def self_attention(learned: bool) -> Diagram:
    """Draw how positions become queries, keys and values, and these a new vector for each position.

    Vaswani et al. 2017, section 3.2.1.

    Args:
        learned: with matrices W_Q, W_K and W_V and the factor 1/√d; without, a vector is all three itself.
    """
    boxes, arrows = [Box("X", "X: all\npositions", 0, 1.2, "input")], []
    for y, name, job in ((0, "Q", "ask"), (1.2, "K", "are found"), (2.4, "V", "give")):
        boxes.append(Box(name, f"{name}: {job}", 2.6 if learned else 1.8, y, "state", 1.3))
        first = name
        if learned:
            first = f"W_{name}"
            boxes.append(Box(first, first, 1.3, y))
            arrows.append(Arrow(first, name))
        arrows.append(Arrow("X", first, via=() if name == "K" else ((0, y),)))
    x = 4.4 if learned else 3.5
    boxes.append(Box("scores", "Q K^⊤ / √d" if learned else "Q K^⊤", x, 0.6, width=1.2, height=1.9))
    boxes.append(Box("softmax", "softmax of\neach row", x + 1.7, 0.6))
    boxes += [Box("product", "weights · V", x + 1.7, 2.4), Box("out", "new X", x + 3.2, 2.4, "output")]
    arrows += [
        *chain("Q", "scores", "softmax", "product", "out"),
        Arrow("K", "scores"),
        Arrow("V", "product"),
    ]
    through = "X times W_Q, W_K and W_V is" if learned else "X itself is"
    return Diagram(
        "Self-attention with queries, keys and values" if learned else "Self-attention without parameters",
        f"{through} three things: queries Q, keys K and values V. Q and K meet in all scores at once"
        f"{', divided by √d' if learned else ''}; softmax makes each row weights; "
        "the weights times V are the new X.",
        tuple(boxes),
        tuple(arrows),
    )


def multi_head_attention() -> Diagram:
    """Draw three heads: the features are cut in shares, each attends by itself, W_O mixes what they saw.

    Vaswani et al. 2017, section 3.2.2 and figure 2.
    """
    boxes = [Box("X", "X", 0, 1.2, "input"), Box("project", "X W_Q\nX W_K\nX W_V", 1.3, 1.2, height=3.0)]
    boxes += [Box("join", "join", 5.0, 1.2, height=3.0), Box("W_O", "W_O", 6.2, 1.2)]
    boxes.append(Box("out", "new X", 7.4, 1.2, "output"))
    arrows = [*chain("X", "project"), *chain("join", "W_O", "out")]
    for i in (1, 2, 3):
        boxes.append(Box(f"head{i}", f"attention, head {i}", 3.4, 1.2 * i - 1.2))
        arrows += chain("project", f"head{i}", "join")
    return Diagram(
        "Multi-head attention",
        "X is projected to queries, keys and values. Each of three heads gets a share of their features and "
        "attends by itself. The results are joined, and W_O mixes them into the new X.",
        tuple(boxes),
        tuple(arrows),
    )


def encoder_layer(norm: str) -> Diagram:
    """Draw an encoder layer. Post: Vaswani et al. 2017, figure 1; pre: Xiong et al. 2020, figure 1.

    Args:
        norm: "pre" or "post".

    Raises:
        ValueError: no such norm.
    """
    return _layer("encoder", norm, ("self-attention", "feed-forward"))


def decoder_layer(norm: str) -> Diagram:
    """Draw a decoder layer. Post: Vaswani et al. 2017, figure 1; pre: each norm moves, as in the encoder.

    Args:
        norm: "pre" or "post".

    Raises:
        ValueError: no such norm.
    """
    return _layer("decoder", norm, ("masked\nself-attention", "cross-attention", "feed-forward"))


def _layer(side: str, norm: str, parts: tuple[str, ...]) -> Diagram:
    """Draw sub-layers from the bottom up, each beside the road of sums on the left."""
    if norm not in ("pre", "post"):
        raise ValueError(f"norm is {norm!r}; allowed are 'pre' and 'post'")
    boxes, arrows, road = [Box("x", "x", 0, 0, "input", 0.6)], [], "x"
    for i, name in enumerate(parts, start=1):
        y, part, total = 2.4 * (1 - i), f"part{i}", f"sum{i}"
        boxes += [Box(part, name, 2.3, y - 0.9), Box(total, "+", 0, y - 1.65, "sign")]
        arrows += [Arrow(road, total), Arrow(part, total, via=((2.3, y - 1.65),))]
        if norm == "pre":
            boxes.append(Box(f"norm{i}", "norm", 0.8, y - 0.9))
            arrows += [Arrow(road, f"norm{i}", via=((0, y - 0.9),)), Arrow(f"norm{i}", part)]
            road = total
        else:
            boxes.append(Box(f"norm{i}", "norm", 0, y - 2.4))
            arrows += [Arrow(road, part, via=((0, y - 0.9),)), Arrow(total, f"norm{i}")]
            road = f"norm{i}"
    boxes.append(Box("out", "new x", 0, -2.4 * len(parts) - 1.0, "output"))
    arrows.append(Arrow(road, "out"))
    if "cross-attention" in parts:
        boxes.append(Box("source", "source:\nK, V", 4.0, -3.3, "input"))
        arrows.append(Arrow("source", "part2"))
    names = ", then ".join(part.replace("\n", " ") for part in parts)
    where = "before each, off the road of sums" if norm == "pre" else "behind each sum, across the road"
    return Diagram(
        f"{side.capitalize()} layer, {norm}-norm",
        f"From x upwards: {names}. A way around each is added to its result. A norm stands {where}.",
        tuple(boxes),
        tuple(arrows),
    )


def transformer() -> Diagram:
    """Draw the whole Transformer, pre-norm: one more norm ends each stack. Vaswani et al. 2017, figure 1."""
    boxes, arrows = [], []
    for side, x, read in (("encoder", 0.0, "source x_1 … x_S"), ("decoder", 4.5, "target <s> y_1 … y_{i−1}")):
        tokens, table, add, places, layer, norm = (
            f"{side}.{name}" for name in ("tokens", "table", "add", "places", "layer", "norm")
        )
        boxes += [Box(tokens, read, x, 0, "input"), Box(table, "word vectors · √d", x, -1.1)]
        boxes += [Box(add, "+", x, -2.2, "sign"), Box(places, "positions", x + 1.5, -2.2, "input")]
        boxes += [Box(layer, f"{side} layer", x, -4.1, width=1.6), Box(norm, "norm", x, -6.2)]
        arrows += [*chain(tokens, table, add, layer, norm), Arrow(places, add)]
    boxes.append(Box("softmax", "softmax of the scores\nwith all word vectors", 4.5, -7.5))
    boxes.append(Box("out", "next token y_i", 4.5, -8.9, "output"))
    way = ((2.45, -6.2), (2.45, -4.1))
    arrows.append(Arrow("encoder.norm", "decoder.layer", "K, V to every layer", way))
    arrows += chain("decoder.norm", "softmax", "out")
    return Diagram(
        "The Transformer",
        "On the left the source: word vectors times √d, plus positions, N encoder layers, a norm. On the "
        "right the target so far: word vectors times √d, plus positions, N decoder layers, a norm, and the "
        "softmax over all words. The encoder's output gives keys and values to every decoder layer.",
        tuple(boxes),
        tuple(arrows),
        (Frame("N times", -1.2, -5.2, 1.2, -3.3), Frame("N times", 3.3, -5.2, 5.7, -3.3)),
    )


def one_stack(causal: bool) -> Diagram:
    """Draw which words a position sees, and what it says, in a stack of self-attention.

    Args:
        causal: decoder-only (Radford et al. 2018), else encoder-only (Devlin et al. 2019, figure 3).
    """
    words = ("the", "dog" if causal else "[MASK]", "bit", "a")
    said = ("dog", "bit", "a", "man") if causal else ("", "dog", "", "")
    boxes, arrows = [], []
    for i, (word, answer) in enumerate(zip(words, said, strict=True)):
        x = 1.5 * i
        boxes += [Box(f"x{i}", word, x, 0, "input"), Box(f"h{i}", f"position {i + 1}", x, -2.6, "state")]
        arrows += [Arrow(f"x{j}", f"h{i}") for j in range(i + 1 if causal else len(words))]
        if answer:
            boxes.append(Box(f"y{i}", answer, x, -4.0, "output"))
            arrows.append(Arrow(f"h{i}", f"y{i}"))
    return Diagram(
        "Decoder-only: what comes next?" if causal else "Encoder-only: what was hidden?",
        "Each position sees the words up to its own, and says the next one: dog, bit, a, man."
        if causal
        else "Each position sees all the words, on both sides. The second word is hidden by a mask, and its "
        "position says which one it was: dog. The other positions say nothing.",
        tuple(boxes),
        tuple(arrows),
    )
