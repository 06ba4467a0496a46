"""What JavaScript must compute as Python does: the cases, for Node and for the browser."""

import itertools
import random
from dataclasses import fields

import numpy as np
import torch

from course_lib.data import load_tatoeba
from course_lib.decoding import beam_search
from course_lib.decoding.problem import SearchProblem
from course_lib.decoding.temperature import Tempered
from course_lib.figures.convolution import look_at
from course_lib.traces import ConvolutionTrace
from course_lib.vision import Geometry

# ---- beam search -------------------------------------------------------------------------------------

EOS, LONGEST = 0, 6
PENALTIES = [("none", 1.0), ("average", 1.0), ("average", 0.4), ("gnmt", 2.0)]
TEMPERATURES = (0.3, 1.0, 1.7)
SIZES = (1, 2, 5)


def packed(record):
    """The record as the module sees it; float32 values are numbers of JavaScript without loss."""
    plain = {}
    for f in fields(record):
        value = getattr(record, f.name)
        if isinstance(value, np.ndarray):
            value = {"data": value.ravel().tolist(), "shape": list(value.shape)}
        plain[f.name] = value
    return plain


def markov(seed, size):
    """Next tokens by the last one: (size, size) probabilities, float32 logarithms as a model gives them."""
    generator = torch.Generator().manual_seed(seed)
    return torch.rand(size, size, generator=generator).pow(2).softmax(dim=-1).log()


def problem(table):
    def step(tokens, state):
        return table[tokens], state

    pieces = [f"t{i}" for i in range(len(table))]
    return SearchProblem(step, torch.zeros(1), 1, EOS, LONGEST, pieces)


def direct(table, size, penalty, temperature, reference):
    """The search itself, without any record."""
    asked = problem(table)
    step = Tempered(asked.step, temperature)
    first = torch.tensor([1])
    (found,) = beam_search(
        step,
        asked.state,
        first,
        EOS,
        LONGEST,
        size,
        penalty,
        asked.pieces,
        references=None if reference is None else [reference],
    )
    return found.trace


# ---- convolutions ------------------------------------------------------------------------------------


def convolutions():
    """Pictures and kernels that are not square; what torch makes of them at every geometry, and turned."""
    chance = np.random.default_rng(0)
    names = ("one", "two")
    trace = ConvolutionTrace(chance.normal(size=(2, 17, 14)), names, chance.normal(size=(2, 4, 3)), names)
    wanted = []
    for stride, padding, dilation in itertools.product((1, 2, 4), (0, 1, 4), (1, 3, 4)):
        which = (stride + padding) % 2, dilation % 2
        image, kernel = trace.pictures[which[0]], trace.kernels[which[1]]
        made = torch.nn.functional.conv2d(
            *(torch.tensor(part).double()[None, None] for part in (image, kernel)),
            None,
            stride,
            padding,
            dilation,
        )[0, 0]
        wanted.append(
            {
                "picture": which[0],
                "kernel": which[1],
                "geometry": {"stride": stride, "padding": padding, "dilation": dilation, "turn": 0},
                "height": made.shape[0],
                "width": made.shape[1],
                "outputs": made.flatten().tolist(),
            }
        )
    for turn, dilation in ((15, 1), (45, 2), (90, 3)):
        made = look_at(trace, 0, 1, Geometry(2, 1, dilation), turn=turn).outputs
        geometry = {"stride": 2, "padding": 1, "dilation": dilation, "turn": turn}
        size = {"height": made.shape[0], "width": made.shape[1]}
        told = {"picture": 0, "kernel": 1, "geometry": geometry, "outputs": made.ravel().tolist()}
        wanted.append(told | size)
    return trace, wanted


# ---- tables ------------------------------------------------------------------------------------------

TABLES = [
    ("0.5, 0.5\n0.1 , 0.9\n", {}),
    ("a;b;c\n0,2;0,3;0,5", {}),
    ("a\tb\n.25\t.75\n1\t0", {}),
    ("0.6 0.4\n1e-1 9e-1", {"by": "token", "eos": 0, "steps": 4}),
    ("0.1, 0.2, 0.3, 0.4, 0.5\n0.5, 0.4, 0.3, 0.2, 0.1", {"weights": True}),
    ("0.1, 0.2, 0.3, 0.4, 0.5", {}),
    ("0.5, 0.5\n1", {}),
    ("0.5, nan", {}),
    ("1.5, -0.5", {}),
    ("0, 0", {"weights": True}),
    ("0.5, x\n0.5, 0.5", {}),
    ("", {}),
    ("a, b", {}),
    ("a, b, c\n0.5, 0.5", {"names": None}),
    ("0.5 0.5", {"by": "token"}),
    ("0.5 0.5", {"steps": 2}),
    ("0.5 0.5", {"eos": 2}),
    ("0.5 0.5\n", {"names": ["b", "b"], "eos": 1}),
]
PLAIN = {"names": None, "by": "step", "weights": False, "eos": None, "steps": None}


# ---- pieces of text ----------------------------------------------------------------------------------

STRANGE = [
    "<s>",
    "</s>",
    "<b>x</b>",
    "<script>alert(1)</script>",
    "%{z}",
    "$x$",
    "&amp;",
    "",
    " ",
    "\n",
    "a \n\n b",
    "▁the",
    "Ġthe",
    "👩‍👩‍👧 ok",
    "مرحبا بكم",
    "\u200b\u2028\x85\ufeff",
    "aaa aaaa xab",
    "<0x41>",
    "İstanbul'da ılık IŞIK",
    "Çekoslovakyalılaştıramadıklarımızdan mısınız?",
    "epäjärjestelmällistyttämättömyydelläänsäkään",
    "हिन्दी हे",
    "e\u0301 é",
    "__a_1²",
]


def texts_and_merges(most):
    """Turkish sentences, nasty strings and strings made by chance: at some number of merges, and at all."""
    chance = random.Random(0)
    some = "▁ \n\taAıİiIşğ'!?.-_1²😀\u200d\u0301مא你<>&"
    texts = [*STRANGE, *(pair.target for pair in load_tatoeba("tur").test[:100])]
    texts += ["".join(chance.choices(some, k=chance.randrange(30))) for _ in range(200)]
    cases = [(text, chance.randrange(most + 1)) for text in texts]
    cases += [(text, most) for text in texts]
    return cases
