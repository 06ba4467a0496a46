"""Diagrams of models that learn vectors of words."""

from course_lib.figures.diagrams import Arrow, Box, Diagram, Frame, chain


def cbow() -> Diagram:
    """Draw CBOW with two words on each side: all around are read, the middle one is guessed.

    Mikolov et al. 2013, Efficient Estimation of Word Representations in Vector Space, figure 1.
    """
    around = ("t−2", "t−1", "t+1", "t+2")
    words = [Box(w, f"w_{{{w}}}", 0, 1.0 * row, "input", 0.75) for row, w in enumerate(around)]
    boxes = [Box("h", "h = mean\nof the v", 1.5, 1.5, height=3.6)]
    boxes += [Box("softmax", "softmax\nof U h", 2.85, 1.5), Box("guess", "w_t", 3.95, 1.5, "output")]
    reads = [Arrow(w, "h", "v") for w in around]
    return Diagram(
        "CBOW: guess the middle",
        "The vectors v of the two words before and of the two words behind w_t are looked up and averaged "
        "to h. The softmax of U h guesses w_t.",
        (*words, *boxes),
        (*reads, *chain("h", "softmax", "guess")),
    )


def skip_gram() -> Diagram:
    """Draw skip-gram with two words on each side: one is read, each neighbour is guessed by itself.

    Mikolov et al. 2013, Efficient Estimation of Word Representations in Vector Space, figure 1.
    """
    around = ("t−2", "t−1", "t+1", "t+2")
    words = [Box(w, f"w_{{{w}}}", 3.75, 1.0 * row, "output", 0.75) for row, w in enumerate(around)]
    boxes = [Box("word", "w_t", 0, 1.5, "input"), Box("h", "h = v", 1.05, 1.5)]
    boxes.append(Box("softmax", "softmax\nof U h", 2.35, 1.5, height=3.6))
    guesses = [Arrow("softmax", w) for w in around]
    return Diagram(
        "Skip-gram: guess the neighbours",
        "The vector v of w_t is looked up; it is h. The softmax of U h guesses each of the two words before "
        "and of the two words behind it, every one an example of its own.",
        (*boxes, *words),
        (*chain("word", "h", "softmax"), *guesses),
    )


def two_sided_language_model() -> Diagram:
    """Draw a language model that reads from both sides, one layer in each direction.

    Peters et al. 2018, section 3.1.
    """
    boxes, arrows = [], []
    for t in (1, 2, 3):
        x = 2.2 * t
        boxes.append(Box(f"x{t}", f"E[x_{t}]", x, 3.1, "input"))
        boxes.append(Box(f"right{t}", f"h→_{t}", x, 1.7, "state", 0.9))
        boxes.append(Box(f"left{t}", f"h←_{t}", x, 4.5, "state", 0.9))
        arrows += [Arrow(f"x{t}", f"right{t}"), Arrow(f"x{t}", f"left{t}")]
    for t in (1, 2):
        boxes.append(Box(f"next{t}", f"guess of x_{t + 1}", 2.2 * t, -0.3, "output"))
        boxes.append(Box(f"before{t}", f"guess of x_{t}", 2.2 * t + 2.2, 6.5, "output"))
        arrows += [Arrow(f"right{t}", f"right{t + 1}"), Arrow(f"left{t + 1}", f"left{t}")]
        arrows += [Arrow(f"right{t}", f"next{t}", "W, b"), Arrow(f"left{t + 1}", f"before{t}", "W, b")]
    return Diagram(
        "A language model that reads from both sides",
        "Above, a chain of states from left to right: each has read x_1 to x_t and guesses the next token. "
        "Below, a chain from right to left: each has read x_t to the end and guesses the token before. Both "
        "share the table E and the softmax W, b; no arrow leads from one chain to the other. A frame around "
        "both states of x_2: together they are its vector in this sentence.",
        tuple(boxes),
        tuple(arrows),
        (Frame("vector of x_2", 3.2, 0.95, 5.6, 5.05),),
    )
