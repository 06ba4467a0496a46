"""What a student may not borrow, from the course, torch or elsewhere, and who may."""

import re
import sys
import threading
from functools import partial, reduce

import gensim.matutils
import pytest
import sacrebleu
import scipy.optimize
import torch
from mini_paper import REPOSITORY
from openTSNE import initialization
from reservoirpy.observables import nrmse
from sklearn.linear_model import Ridge
from tokenizers import Tokenizer, models
from torch import nn
from torch.autograd.gradcheck import get_numerical_jacobian
from torch.nn import functional

import course_lib
from course_lib.checks import borrowing
from course_lib.checks.borrowing import IN_C, READY_MADE_IN_C, allow
from course_lib.checks.core import CheckError, visible, waves
from course_lib.checks.models import TableModel
from course_lib.checks.vision import BY_HAND
from course_tools.sandbox.heard import let_hear

X = waves(1, 3, 4, dtype=torch.float32)
BORROWED = {
    "scaled_dot_product_attention": lambda: functional.scaled_dot_product_attention(X, X, X),
    "MultiheadAttention": lambda: nn.MultiheadAttention(4, 2, batch_first=True)(X, X, X),
    "multi_head_attention_forward": lambda: functional.multi_head_attention_forward(
        X, X, X, 4, 2, None, None, None, None, False, 0.0, X, None
    ),
    "TransformerEncoderLayer": lambda: nn.TransformerEncoderLayer(4, 2, 8, batch_first=True)(X),
    "softmax": lambda: torch.masked.softmax(X, -1, mask=X > 0),
    "get_numerical_jacobian": lambda: get_numerical_jacobian(torch.sin, X),
    "ctc_loss": lambda: nn.CTCLoss()(X.transpose(0, 1), torch.ones(1, 1), (3,), (1,)),
    "lstm": lambda: torch.lstm(
        X, [X[:, :1, :2]] * 2, [torch.ones(8, 4), torch.ones(8, 2)], False, 1, 0.0, False, False, True
    ),
    "gru": lambda: torch.gru(
        X, X[:, :1, :2], [torch.ones(6, 4), torch.ones(6, 2)], False, 1, 0.0, False, False, True
    ),
    "RNN": lambda: nn.RNN(4, 2, batch_first=True)(X),
    "RNNCell": lambda: nn.RNNCell(4, 2)(X[0]),
    "rnn_tanh": lambda: torch.rnn_tanh(
        X, torch.zeros(1, 1, 2), [torch.ones(2, 4), torch.ones(2, 2)], False, 1, 0.0, False, False, True
    ),
    "rnn_tanh_cell": lambda: torch.rnn_tanh_cell(X[0], X[0, :, :2], torch.ones(2, 4), torch.ones(2, 2)),
    "LSTM": lambda: nn.LSTM(4, 2, batch_first=True)(X),
    "LSTMCell": lambda: nn.LSTMCell(4, 2)(X[0]),
    "lstm_cell": lambda: torch.lstm_cell(
        X[0], (X[0, :, :2], X[0, :, :2]), torch.ones(8, 4), torch.ones(8, 2)
    ),
    "GRU": lambda: nn.GRU(4, 2, batch_first=True)(X),
    "GRUCell": lambda: nn.GRUCell(4, 2)(X[0]),
    "gru_cell": lambda: torch.gru_cell(X[0], X[0, :, :2], torch.ones(6, 4), torch.ones(6, 2)),
    "clip_grad_norm_": lambda: nn.utils.clip_grad_norm_([nn.Parameter(X)], 1.0),
    "_get_total_norm": lambda: nn.utils.get_total_norm([X]),
    "_clip_grads_with_norm_": lambda: nn.utils.clip_grads_with_norm_([nn.Parameter(X)], 1.0, X.norm()),
}


@pytest.mark.parametrize("name", BORROWED)
def test_an_answer_that_asks_torch_is_refused(name):
    with pytest.raises(CheckError, match=f"your answer calls torch's {name}"), visible("answer", "a case"):
        BORROWED[name]()


def test_each_ready_made_function_of_torch_is_tried():
    assert all(any(part in name for name in BORROWED) for part in READY_MADE_IN_C)


OPERATOR = torch.ops.aten.scaled_dot_product_attention
LESS_KNOWN = {
    "the operator": lambda: OPERATOR(X, X, X),
    "one form of it": lambda: OPERATOR.default(X, X, X),
    "a partial of it": lambda: partial(OPERATOR.default)(X, X, X),
    "what it calls itself": lambda: torch._scaled_dot_product_attention_math(X, X, X),
}


@pytest.mark.parametrize("way", LESS_KNOWN)
def test_a_less_known_form_of_a_function_in_c_is_refused_too(way):
    with pytest.raises(CheckError, match=r"torch's _?scaled_dot_product_attention"), visible("f", "a case"):
        LESS_KNOWN[way]()


@pytest.fixture
def heard():
    """Torch as it is where answers are graded."""
    homes = torch, functional, torch._C._nn, torch._VF
    before = [dict(vars(home)) for home in homes]
    let_hear(IN_C)
    yield
    for home, names in zip(homes, before, strict=True):
        vars(home).clear()
        vars(home).update(names)


def in_a_thread(call):
    thread = threading.Thread(target=call)
    thread.start()
    thread.join()


ROUNDABOUT = {
    "a partial": lambda: partial(functional.scaled_dot_product_attention)(X, X, X),
    "map": lambda: [*map(functional.scaled_dot_product_attention, [X], [X], [X])],
    "reduce": lambda: reduce(partial(functional.scaled_dot_product_attention, X), [X, X]),
    "a thread": lambda: in_a_thread(partial(functional.scaled_dot_product_attention, X, X, X)),
    "where it is defined": lambda: partial(torch._C._nn.scaled_dot_product_attention)(X, X, X),
    "where torch's own layers find it": lambda: partial(torch._VF.gru_cell)(
        X[0], X[0, :, :2], torch.ones(6, 4), torch.ones(6, 2)
    ),
}


@pytest.mark.usefixtures("heard")
@pytest.mark.parametrize("way", ROUNDABOUT)
def test_where_answers_are_graded_a_function_in_c_is_refused_whoever_calls_it(way):
    with pytest.raises(CheckError, match=r"torch's (scaled_dot|gru_cell)"), visible("f", "a case"):
        ROUNDABOUT[way]()


@pytest.mark.usefixtures("heard")
def test_where_answers_are_graded_torch_gives_what_it_gives():
    pooled = torch.tensor([[[[4.0]]]])
    assert torch.equal(functional.max_pool2d(torch.arange(5.0)[1:].reshape(1, 1, 2, 2), 2), pooled)
    assert torch.equal(partial(torch.max_pool2d, kernel_size=2)(pooled.expand(1, 1, 2, 2)), pooled)
    with visible("f", "a case"):
        torch.conv1d(X, torch.ones(1, 3, 1))  # which this paper does not refuse


def test_all_functions_in_c_that_a_paper_refuses_are_heard():
    sources = [path.read_text() for path in (REPOSITORY / "solutions").glob("*/*.ipynb")]
    refused = {name for source in sources for name in re.findall(r'refused=\(\\"torch\.(\w+)\\"', source)}
    refused |= {name.removeprefix("torch.") for name in BY_HAND if name.count(".") == 1 and "torch." in name}
    assert "cosine_similarity" in refused and refused - set(IN_C) == {"_functorch"}


def test_a_refused_name_stands_for_all_functions_in_c_that_have_it():
    with visible("f", "a case"):
        torch.max_pool1d_with_indices(X, 2)
    refused = visible("f", "a case", refused=("torch.max_pool1d",))
    with pytest.raises(CheckError, match="torch's max_pool1d_with_indices"), refused:
        torch.max_pool1d_with_indices(X, 2)


@pytest.mark.parametrize(
    ("name", "borrow"),
    {
        "gensim": lambda: gensim.matutils.unitvec(X[0, 0].numpy()),
        "openTSNE": lambda: initialization.random(X[0].numpy()),
        "reservoirpy": lambda: nrmse(X[0].numpy(), X[0].numpy()),
        "sacrebleu": lambda: sacrebleu.sentence_bleu("a b", ["a b"]),
        "scipy": lambda: scipy.optimize.approx_fprime(X[0, 0].numpy(), lambda x: x.sum()),
        "sklearn": lambda: Ridge().fit(X[0].numpy(), X[0].numpy()),
        "tokenizers": lambda: Tokenizer(models.BPE()).encode("a b"),
    }.items(),
)
def test_an_answer_that_asks_another_library_is_refused(name, borrow):
    with pytest.raises(CheckError, match=rf"your answer calls {name}\."), visible("answer", "a case"):
        borrow()


def test_a_check_may_ask_torch():
    judge = {"__name__": f"{CheckError.__module__.rpartition('.')[0]}.judge", "nn": nn, "X": X}
    with visible("answer", "a case"):
        exec("nn.MultiheadAttention(4, 2, batch_first=True)(X, X, X)", judge)


def test_what_an_answer_is_built_from_is_free():
    with visible("answer", "a case"):
        nn.LayerNorm(4)(X.softmax(dim=-1))
        functional.cross_entropy(X[0], torch.tensor([0, 1, 2]), label_smoothing=0.1)
        functional.cosine_similarity(X, X, dim=-1)
        torch.linalg.lstsq(X, X)
        torch.autograd.grad(nn.Parameter(X).sum(), [nn.Parameter(X)], allow_unused=True)


# ---------------------------------------------------------------- the course's own code

LIBRARY = """
def double(x):
    return 2 * x

def doubles(x):
    yield double(x)

def apply(function):
    return function(2)

class Doubler:
    def __call__(self, x):
        return 2 * x

    def double(self, x):
        return 2 * x

    @classmethod
    def of(cls, x):
        return cls()(x)

FOUR = double(2)

class Table:
    entries = double(3)
"""


@pytest.fixture
def made_up(tmp_path, monkeypatch):
    """A module of the course that nobody has imported yet."""
    (tmp_path / "made_up.py").write_text(LIBRARY)
    monkeypatch.setattr(course_lib, "__path__", [*course_lib.__path__, str(tmp_path)])
    yield
    sys.modules.pop("course_lib.made_up", None)
    vars(course_lib).pop("made_up", None)


def run(answer, first="import course_lib.made_up as library", test="assert answer() == 4"):
    """Run a notebook: a first cell of the paper, an answer and a test; return what the student reads."""
    checks = f"from {visible.__module__} import check_raises, visible, waves"
    test = f"{checks}\nwith visible('answer', 'a case'):\n    {test}"
    notebook = {"__name__": "__main__"}
    try:
        for name, cell in {"first": first, "answer": answer, "test": test}.items():
            exec(compile(cell, f"<{name}>", "exec"), notebook)
    except CheckError as error:
        return str(error)
    return ""


WAYS = """
# %% bound to another name
f = library.double

def answer():
    return f(2)
# %% bound to the name of the answer
def answer(f=library.double):
    return f(2)
# %% imported inside
def answer():
    from course_lib.made_up import double

    return double(2)
# %% by importlib
import importlib

def answer():
    return importlib.import_module("course_lib.made_up").double(2)
# %% an object made inside
def answer():
    return library.Doubler()(2)
# %% an object made before
doubler = library.Doubler()

def answer():
    return doubler(2)
# %% a bound method
double = library.Doubler().double

def answer():
    return double(2)
# %% a class method
def answer():
    return library.Doubler.of(2)
# %% a class of its own that inherits
class Own(library.Doubler):
    pass

def answer():
    return Own()(2)
# %% a class of its own is the answer
class answer(library.Doubler):
    def __eq__(self, other):
        return self.double(2) == other
# %% a generator
def answer():
    return next(library.doubles(2))
# %% a generator made before
numbers = library.doubles(2)

def answer():
    return next(numbers)
# %% in a generator of its own
def answer():
    return next(library.double(x) for x in [2])
# %% in a lambda
answer = lambda: library.double(2)
# %% a partial is the answer
import functools

answer = functools.partial(library.double, 2)
# %% in a cache
import functools

double = functools.cache(library.double)

def answer():
    return double(2)
# %% in a map
def answer():
    return sum(map(library.double, [2]))
# %% the refusal is caught
def answer():
    try:
        return library.double(2)
    except BaseException:
        return 4
# %% in a thread
import threading

def answer():
    found = []
    thread = threading.Thread(target=lambda: found.append(library.double(2)))
    thread.start()
    thread.join()
    return found[0]
# %% in a pool of threads
from concurrent.futures import ThreadPoolExecutor

def answer():
    with ThreadPoolExecutor() as pool:
        return pool.submit(library.double, 2).result()
"""
ANSWERS = dict(cell.split("\n", maxsplit=1) for cell in WAYS.split("# %% ")[1:])


@pytest.mark.parametrize("way", ANSWERS)
def test_what_is_called_counts_not_how(way, made_up):
    message = run(ANSWERS[way])
    assert "your answer calls course_lib.made_up." in message
    assert "The exercise asks for your own code." in message


def test_the_function_itself_under_the_name_of_the_answer_counts(made_up):
    assert "course_lib.made_up.double" in run("answer = library.double", test="assert answer(2) == 4")


def test_a_check_that_calls_the_answer_does_not_cover_it(made_up):
    message = run("answer = library.double", test="check_raises(TypeError, answer, None)")
    assert "your answer calls course_lib.made_up.double" in message


def test_the_import_of_a_module_calls_what_it_likes(made_up):
    answer = "def answer():\n    import course_lib.made_up\n\n    return 4"
    assert run(answer, first="") == ""


@pytest.mark.parametrize("package", ["course_lib", "course_experiments", "course_tools"])
def test_every_package_of_the_course_is_refused(package):
    library = {"__name__": f"{package}.any.module"}
    exec(LIBRARY, library)
    with (
        pytest.raises(CheckError, match=rf"calls {package}\.any\.module\.Doubler\.double"),
        visible("f", "a case"),
    ):
        library["Doubler"]().double(2)


def test_a_package_whose_name_only_begins_alike_is_free():
    library = {"__name__": "course_library.any"}
    exec(LIBRARY, library)
    with visible("f", "a case"):
        library["double"](2)


# ---------------------------------------------------------------- what a paper allows

ALLOW = f"from {allow.__module__} import allow\nimport course_lib.made_up as library\n"


@pytest.mark.parametrize(
    ("given", "answer"),
    {
        "library.double": "lambda: library.double(2)",
        "library.double, library.doubles": "lambda: next(library.doubles(2))",
        "library.doubles": "lambda: next(library.doubles(2))",  # what it calls is its own affair
        "library.Doubler": "lambda: library.Doubler.of(2)",
        "library.Doubler.double": "lambda: doubler.double(2)",
    }.items(),
)
def test_what_a_paper_allows_is_free(given, answer, made_up):
    first = f"{ALLOW}allow({given})\ndoubler = library.Doubler()"
    assert run(f"answer = {answer}", first) == ""


@pytest.mark.parametrize(
    ("given", "answer"),
    {
        "": "lambda: library.double(2)",
        "library.doubles": "lambda: library.double(2)",
        "library.Doubler.double": "lambda: doubler(2)",
        "library.apply": "lambda: library.apply(lambda x: library.double(x))",
    }.items(),
)
def test_what_it_does_not_allow_is_not(given, answer, made_up):
    first = f"{ALLOW}allow({given})\ndoubler = library.Doubler()"
    assert "your answer calls course_lib.made_up" in run(f"answer = {answer}", first)


def test_a_paper_may_allow_what_torch_has_ready_made():
    answer = "def answer():\n    return torch.nn.LSTM(4, 2)(torch.ones(3, 4))[0]"
    assert "torch's LSTM" in run(answer, "import torch", test="answer()")
    first = f"import torch\nfrom {allow.__module__} import allow\nallow(torch.nn.LSTM)"
    assert run(answer, first, test="answer()") == ""


@pytest.mark.parametrize("thing", ["course_lib.decoding.reorder", torch.lstm, None])
def test_only_functions_and_classes_are_allowed(thing):
    with pytest.raises(TypeError, match=r"allow\(…\) got .*; allowed are functions and classes"):
        exec("allow(thing)", {"allow": allow, "thing": thing})


def test_a_name_that_does_not_exist_is_refused_at_once(made_up):
    with pytest.raises(AttributeError, match="no attribute 'dubble'"):
        run("", first=f"{ALLOW}allow(library.dubble)")


def test_the_first_cell_may_run_twice(made_up):
    first = f"{ALLOW}allow(library.double)\nallow(library.double)"
    assert run("answer = lambda: library.double(2)", first) == ""


def test_an_answer_that_allows_itself_more_has_nothing_left(made_up):
    answer = """
try:
    allow(library.double, library.Doubler)
except ValueError as error:
    said = str(error)

answer = lambda: library.double(2)
"""
    assert "your answer calls course_lib.made_up" in run(answer, f"{ALLOW}allow(library.double)")
    with pytest.raises(ValueError, match=r"was called before, .*restart the kernel and run all cells"):
        run("allow(library.Doubler)", f"{ALLOW}allow(library.double)")


# ---------------------------------------------------------------- the checks, which are the course's too


def test_an_answer_that_computes_with_a_check_is_refused():
    answer = f"from {waves.__module__} import waves\n\ndef answer():\n    return len(waves(4))"
    refused = f"your answer calls {waves.__module__}.waves"
    assert refused in run(answer, first="")
    assert refused in run(answer, first="", test="check_raises(KeyError, answer)")


def test_a_test_cell_computes_with_them_and_so_does_what_it_gives_to_the_answer():
    assert run("answer = lambda: 4", first="", test="assert len(waves(answer())) == 4") == ""
    assert run("answer = lambda f: f()", first="", test="assert len(answer(lambda: waves(4))) == 4") == ""


def test_a_method_of_a_check_that_an_answer_is_given_has_to_be_allowed():
    first = f"import torch\nfrom {TableModel.__module__} import TableModel\n"
    answer = "def answer(step, state):\n    return step(torch.tensor([0]), state)"
    test = "model = TableModel(torch.ones(2, 2), bos=0); answer(model.step, model.start())"
    assert "your answer calls" in run(answer, first, test)
    first += f"from {allow.__module__} import allow\nallow(TableModel.step)"
    assert run(answer, first, test) == ""


@pytest.mark.parametrize("name", ["READY_MADE", "Watch"])
def test_what_is_refused_cannot_be_replaced(name):
    with pytest.raises(AttributeError, match=f"{name} cannot be replaced"):
        setattr(borrowing, name, ())


def test_the_watch_ends_with_the_case():
    with visible("answer", "a case"):
        pass
    assert sys.getprofile() is None and threading.getprofile() is None
