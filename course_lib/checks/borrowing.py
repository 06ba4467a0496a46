"""Whose work an answer is: while a case runs, it may not call what it is asked to write.

Refused are all packages of the course and what other libraries have ready-made. A paper says in its first
cells which functions and classes its answers may call all the same:

    allow(reorder, TableModel.step)

What is called counts, not how: under another name, through `importlib`, a partial, a generator, a base class
or a thread. What an allowed function calls is its own affair, and so is the import of a module.

The checks are part of the course, too. A test cell calls them in its own right, an answer may not: the
nearest caller from the notebook decides. Anything else from the course may be the answer itself, under the
name that the test calls, so a test cell may call only what its paper allows.
"""

import inspect
import sys
import threading
from enum import Enum, auto
from types import CodeType, FrameType, FunctionType
from typing import Any, NamedTuple

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
READY_MADE_IN_C = frozenset(
    {
        "ctc_loss",
        "scaled_dot_product_attention",
        "rnn_tanh",
        "rnn_tanh_cell",
        "lstm",
        "lstm_cell",
        "gru",
        "gru_cell",
    }
)
# Where an exercise asks for a gradient by hand, its paper refuses these, too.
AUTOGRAD = (
    "torch._functorch",
    "torch.autograd.backward",
    "torch.autograd.forward_ad",
    "torch.autograd.grad",
)
_ALLOWED = "__allowed__"  # the name, in the notebook, of what its paper allows
ELSEWHERE = "__answers_elsewhere__"  # … and of what watches answers that live in another process
BORROWED = f"{__name__}.borrowed"  # the audit event of a call that is refused, for who watches from outside


class _Called(NamedTuple):
    module: str
    qualname: str

    def is_in(self, names: tuple[str, ...] | frozenset[str]) -> bool:
        whole = f"{self.module}.{self.qualname}."
        return any(whole.startswith(f"{name}.") for name in names)

    def __str__(self) -> str:
        if self.module.partition(".")[0] == "torch":
            return f"torch's {self.qualname.partition('.')[0]}"
        return f"{self.module}.{self.qualname.partition('.<locals>')[0]}"


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
    while _called(test).is_in((JUDGES, "contextlib")) and test.f_back is not None:
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


_REFUSED = (_Role.CHECK, _Role.COURSE, _Role.READY_MADE)


class Watch:
    """Notes what an answer calls and should not, in this thread and in those that it starts.

    Args:
        refused: names that are refused beside the rest, such as `torch.autograd.grad` or `torch.conv2d`.
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
        self._test = test
        self._notebook = notebook
        self._allowed = allowed
        self._refused = (*COURSE, *READY_MADE, *refused)
        self._roles: dict[int, tuple[_Role, CodeType]] = {}  # by id: hashing code reads all of it
        self._built_ins: dict[tuple[str, int], tuple[_Called | None, type]] = {}  # by name and type's id

    def __enter__(self) -> "Watch":
        self._before = sys.getprofile(), threading.getprofile()
        threading.setprofile(self._see)
        sys.setprofile(self._see)
        return self

    def __exit__(self, *error: object) -> None:
        sys.setprofile(self._before[0])
        threading.setprofile(self._before[1])  # type: ignore[arg-type]

    def _see(self, frame: FrameType, event: str, argument: Any) -> None:
        if event == "call":
            role = self._role(frame)
            if role in _REFUSED and not self._is_excused(role, frame.f_back):
                self._note(_called(frame))
        elif event == "c_call":
            called = self._built_in(argument)
            if called is not None and not self._is_excused(_Role.READY_MADE, frame):
                self._note(called)

    def _built_in(self, function: Any) -> _Called | None:
        """Return a function written in another language if it is refused."""
        name, owner = getattr(function, "__name__", ""), type(getattr(function, "__self__", None))
        if (name, id(owner)) not in self._built_ins:
            self._built_ins[name, id(owner)] = _built_in(name, owner, self._refused), owner
        return self._built_ins[name, id(owner)][0]

    def _note(self, called: _Called) -> None:
        if not self.borrowed:
            sys.audit(BORROWED, str(called))
        self.borrowed.append(str(called))

    def _is_excused(self, called: _Role, caller: FrameType | None) -> bool:
        """Say whether what is called is called by one who may: the nearest who counts decides."""
        while caller is not None:
            role = self._role(caller)
            if role in (_Role.ALLOWED, _Role.IMPORT):
                return True
            if role is _Role.CHECK:
                return called is not _Role.COURSE
            if role in (_Role.TEST, _Role.ANSWER):
                return role is _Role.TEST and called is _Role.CHECK
            caller = caller.f_back
        return False

    def _role(self, frame: FrameType) -> _Role:
        code = frame.f_code
        if frame.f_globals is self._notebook:
            return _Role.TEST if code.co_filename == self._test else _Role.ANSWER
        if id(code) not in self._roles:
            self._roles[id(code)] = self._role_of(_called(frame), code), code
        return self._roles[id(code)][0]

    def _role_of(self, called: _Called, code: CodeType) -> _Role:
        if called.is_in(self._allowed):
            return _Role.ALLOWED
        if not called.is_in(self._refused):
            return _Role.OTHER
        if not code.co_flags & inspect.CO_OPTIMIZED:  # the body of a module or a class
            return _Role.IMPORT
        if called.is_in((JUDGES,)):
            return _Role.CHECK
        return _Role.COURSE if called.is_in(COURSE) else _Role.READY_MADE


def _called(frame: FrameType) -> _Called:
    return _Called(str(frame.f_globals.get("__name__", "")), frame.f_code.co_qualname)


def _built_in(name: str, owner: type, refused: tuple[str, ...]) -> _Called | None:
    if name in READY_MADE_IN_C or f"torch.{name}" in refused:
        return _Called("torch", name)
    called = _Called(owner.__module__, f"{owner.__qualname__}.{name}")
    return called if owner.__module__ != "builtins" and called.is_in(READY_MADE) else None
