"""Whose work an answer is: while a case runs, it may not call what it is asked to write.

Refused are all packages of the course and what other libraries have ready-made. A paper says in its first
cells which functions and classes its answers may call all the same:

    allow(reorder, TableModel.step)

What is called counts, not how: under another name, through `importlib`, a partial, a generator, a base class
or a thread. (A function in C that a partial or `map` calls is seen only where answers are graded.) What an
allowed function calls is its own affair, and so is the import of a module.

The checks are part of the course, too. A test cell calls them in its own right, an answer may not: the
nearest caller from the notebook decides. Anything else from the course may be the answer itself, under the
name that the test calls, so a test cell may call only what its paper allows.
"""

import inspect
import sys
import threading
from collections.abc import Callable
from enum import Enum, auto
from types import BuiltinFunctionType, CodeType, FrameType, FunctionType
from typing import Any

from torch._ops import OpOverload

JUDGES = __name__.rpartition(".")[0]  # the package of the checks
COURSE = ("course_lib", "course_experiments", "course_tools")
# What an exercise asks for. What its answer may be built from is free: cross_entropy, LayerNorm, lstsq.
READY_MADE = (
    "gensim",
    "nltk",
    "openTSNE",
    "reservoirpy",
    "sacrebleu",
    "scipy.differentiate",
    "scipy.optimize._numdiff",
    "sklearn",
    "tokenizers",
    "torch.autograd.gradcheck",
    "torch.masked",
    "torch.nn.functional.multi_head_attention_forward",
    "torch.nn.modules.activation.MultiheadAttention",
    "torch.nn.modules.rnn",
    "torch.nn.modules.transformer",
    "torch.nn.utils.clip_grad._clip_grads_with_norm_",
    "torch.nn.utils.clip_grad._get_total_norm",
    "torch.nn.utils.clip_grad.clip_grad_norm_",
    "torchmetrics",
)
# Of torch's functions in C, those with one of these in their names.
READY_MADE_IN_C = ("ctc_loss", "scaled_dot_product", "rnn_tanh", "lstm", "gru")
# … and those that only some papers refuse.
LAYERS = (
    *("conv1d", "conv2d", "conv3d", "conv_transpose", "conv_tbc", "convolution", "slow_conv", "max_pool"),
    *("max_unpool", "batch_norm", "instance_norm", "layer_norm", "group_norm"),
)
IN_C = (*READY_MADE_IN_C, *LAYERS, "cosine_similarity")
# Where an exercise asks for a gradient by hand, its paper refuses these, too.
AUTOGRAD = (
    "torch._functorch",
    "torch.autograd.backward",
    "torch.autograd.forward_ad",
    "torch.autograd.grad",
)
_ALLOWED = "__allowed__"  # the name, in the notebook, of what its paper allows
ELSEWHERE = "__answers_elsewhere__"  # … and of what watches answers that live in another process


def allow(*given: Any) -> None:
    """Let the answers of a paper call these functions and classes; stands once, in a locked cell of it.

    Args:
        given: functions and classes; nothing if answers may call nothing of the course.

    Raises:
        TypeError: something else, a name for instance.
        ValueError: called again with others. From then on nothing is allowed.
    """
    names = frozenset(_name(thing) for thing in given)
    notebook = sys._getframe(1).f_globals
    if notebook.setdefault(_ALLOWED, names) != names:
        notebook[_ALLOWED] = frozenset()
        raise ValueError(
            "allow(…) was called before, with something else. It belongs to the first cells of the paper: "
            "restart the kernel and run all cells."
        )


def _name(thing: Any) -> str:
    function = inspect.unwrap(thing)
    if not isinstance(function, FunctionType | type):
        raise TypeError(f"allow(…) got {thing!r}; allowed are functions and classes written in Python")
    return f"{function.__module__}.{function.__qualname__}"


def watch(refused: tuple[str, ...]) -> Any:
    """Return what watches the answers of the notebook that calls a check.

    Where it runs to be graded, its answers live in another process; then that is told to watch.

    Args:
        refused: names that are refused beside the rest.

    Returns:
        A context with the attribute `borrowed`; see `Watch`.
    """
    test = sys._getframe(1)  # the cell that tests is the first frame outside the checks
    while _is_of_checks(test) and test.f_back is not None:
        test = test.f_back
    notebook = test.f_globals
    if ELSEWHERE in notebook:
        return notebook[ELSEWHERE](refused)
    return Watch(refused, notebook, test.f_code.co_filename, allowed_by(notebook))


def allowed_by(notebook: dict[str, Any]) -> frozenset[str]:
    """Return the names of what a notebook has allowed its answers to call."""
    return notebook.get(_ALLOWED, frozenset())


class _Role(Enum):
    """What a frame is to the watch."""

    ANSWER = auto()  # of the notebook, but not of the cell that tests
    TEST = auto()
    ALLOWED = auto()
    CHECK = auto()
    COURSE = auto()
    READY_MADE = auto()
    IMPORT = auto()
    OTHER = auto()


class Watch:
    """Notes what an answer calls and should not, in this thread and in those that it starts.

    Args:
        refused: names that are refused beside the rest, such as `torch.autograd.grad` or `torch.conv2d`; the
            latter stands for each function in C that has it in its name.
        notebook: the names of the notebook that the answer is in.
        test: the file name of the cell that tests, in tracebacks.
        allowed: what the paper allows.

    Attributes:
        borrowed: what was called, in words, in order.
    """

    def __init__(
        self, refused: tuple[str, ...], notebook: dict[str, Any], test: str, allowed: frozenset[str]
    ) -> None:
        self.borrowed: list[str] = []
        self._see = watchers(notebook, test, allowed, self.borrowed.append)(refused)

    def __enter__(self) -> "Watch":
        self._before = sys.getprofile(), threading.getprofile()
        threading.setprofile(self._see)
        sys.setprofile(self._see)
        return self

    def __exit__(self, *error: object) -> None:
        sys.setprofile(self._before[0])
        threading.setprofile(self._before[1])  # type: ignore[arg-type]


def watchers(
    notebook: dict[str, Any], test: str | None, allowed: frozenset[str], note: Callable[[str], object]
) -> Callable[[tuple[str, ...]], Callable[[FrameType, str, Any], None]]:
    """Return what makes profile functions that note what an answer calls and should not.

    They use only what is kept in here. So they go on whatever an answer replaces for a moment, of this module
    or of Python; and while they look, when nobody watches, they run no code of an answer's own objects.

    Args:
        notebook: the names of the notebook that the answer is in.
        test: the file name of the cell that tests, in tracebacks; None if it is in another process.
        allowed: what the paper allows.
        note: is told what was called, in words, in order.

    Returns:
        A function: given the names that are refused beside the rest, it returns one for `sys.setprofile`.
    """
    answer, tests, free, check, course, ready_made, importing, other = _Role
    begins = [tuple(f"{name}." for name in names) for names in (COURSE, READY_MADE, (JUDGES,), allowed)]
    of_course, of_others, of_checks, of_allowed = begins
    of_c, optimized, call_operator = BuiltinFunctionType, inspect.CO_OPTIMIZED, OpOverload.__call__.__code__
    kind_of, is_kind, number_of, items, text, some = type, issubclass, id, dict.items, str, any
    module_of, name_of = (vars(type)[name].__get__ for name in ("__module__", "__qualname__"))

    def plain(value: Any) -> str:
        return value if kind_of(value) is text else ""

    def module(frame: FrameType) -> str:
        for key, value in items(frame.f_globals):
            if kind_of(key) is text and key == "__name__":
                return plain(value)
        return ""

    def in_words(module: str, name: str) -> str:
        if module == "torch" or module.startswith("torch."):
            return f"torch's {name.partition('.')[0]}"
        return f"{module}.{name.partition('.<locals>')[0]}"

    def watcher(more: tuple[str, ...]) -> Callable[[FrameType, str, Any], None]:
        refused = (*of_course, *of_others, *(f"{name}." for name in more))
        parts = [name.split(".") for name in more]
        in_c = (*READY_MADE_IN_C, *(part[1] for part in parts if len(part) == 2 and part[0] == "torch"))
        roles: dict[int, tuple[_Role, CodeType]] = {}  # by id: hashing code reads all of it
        built_ins: dict[tuple[str, int], tuple[str, type]] = {}  # by name and the id of a type

        def role(frame: FrameType) -> _Role:
            code = frame.f_code
            if frame.f_globals is notebook:
                return answer if test is None or code.co_filename != test else tests
            known = roles.get(number_of(code))
            if known is None:
                known = roles[number_of(code)] = role_of(f"{module(frame)}.{code.co_qualname}.", code), code
            return known[0]

        def is_in_c(name: str) -> bool:
            return some(part in name for part in in_c)

        def role_of(called: str, code: CodeType) -> _Role:
            if called.startswith(of_allowed):
                return free
            if not called.startswith(refused):
                return other
            if not code.co_flags & optimized:  # the body of a module or a class
                return importing
            if called.startswith(of_checks):
                return check
            return course if called.startswith(of_course) else ready_made

        def is_excused(called: _Role, caller: FrameType | None) -> bool:
            """Say whether what is called is called by one who may: the nearest who counts decides."""
            while caller is not None:
                found = role(caller)
                if found is free or found is importing:
                    return True
                if found is check:
                    return called is not course
                if found is tests or found is answer:
                    return found is tests and called is check
                caller = caller.f_back
            return False

        def built_in(name: str, owner: type) -> str:
            """Return a function written in another language, in words, if it is refused."""
            if is_in_c(name):
                return in_words("torch", name)
            home, whole = plain(module_of(owner)), f"{plain(name_of(owner))}.{name}"
            return in_words(home, whole) if f"{home}.{whole}.".startswith(of_others) else ""

        def operator(frame: FrameType) -> str:
            """Return the operator of torch that is called, in words, if it is refused."""
            name = plain(frame.f_locals["self"].__name__)
            return in_words("torch", name) if is_in_c(name) else ""

        def see(frame: FrameType, event: str, argument: Any) -> None:
            if event == "call":
                code = frame.f_code
                if code is call_operator:
                    called = operator(frame)
                    if called and not is_excused(ready_made, frame):
                        note(called)
                known = roles.get(number_of(code))
                if known is not None and known[0] is other:  # most are
                    return
                found = role(frame)
                is_refused = found is check or found is course or found is ready_made
                if is_refused and not is_excused(found, frame.f_back):
                    note(in_words(module(frame), frame.f_code.co_qualname))
            elif event == "c_call" and (kind_of(argument) is of_c or is_kind(kind_of(argument), of_c)):
                name, owner = argument.__name__, kind_of(argument.__self__)
                words = built_ins.get((name, number_of(owner)))
                if words is None:
                    words = built_ins[name, number_of(owner)] = built_in(name, owner), owner
                if words[0] and not is_excused(ready_made, frame):
                    note(words[0])

        return see

    return watcher


def _is_of_checks(frame: FrameType) -> bool:
    name = str(frame.f_globals.get("__name__", ""))
    return name == "contextlib" or f"{name}.".startswith(f"{JUDGES}.")
