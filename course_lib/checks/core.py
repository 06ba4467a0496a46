"""What the test cells of a paper are written with.

A test cell is a list of cases. Each case calls the student's function and says what must be true:

    with visible("masked_softmax", "two sentences of different length"):
        alpha = masked_softmax(scores, keep)
        check_shape(alpha, batch=2, target=3, source=4)
        check_weights(alpha, keep)

What fails ends in one short message that says what was expected, what came, and what that usually means.
It carries no traceback, so a hidden case does not show itself.

A student's code runs in the same process, so the checks trust nothing that it can reach by mistake or by an
easy trick: names of the notebook, replaced functions of a library, objects that claim to equal everything.
Code that sets out to break the process is the sandbox's concern.
"""

import builtins
import io
import math
import sys
import textwrap
import warnings
from collections.abc import Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager, redirect_stderr, redirect_stdout
from traceback import walk_tb
from types import ModuleType
from typing import Any

import numpy as np
import torch

from course_lib.checks import borrowing, switches
from course_lib.checks.switches import default_switches

_to_list, _detach = torch.Tensor.tolist, torch.Tensor.detach


class CheckError(AssertionError):
    """A check did not hold. Jupyter shows the message alone, broken between words.

    Args:
        fact: what was expected and what came.
        cause: what that usually means.
    """

    def __init__(self, fact: str, cause: str = "") -> None:
        super().__init__(f"{fact} {cause}".strip())
        self.fact, self.cause = fact, cause

    def _render_traceback_(self) -> list[str]:
        return textwrap.wrap(f"CheckError: {self}", width=90)


def visible(
    function: str, case: str, hint: str = "", refused: tuple[str, ...] = ()
) -> AbstractContextManager[None]:
    """Run one case that students see.

    Args:
        function: the answer under test, by name.
        case: what is special about the input, in a few words.
        hint: what a failure of this case usually means, unless the check itself knows better.
        refused: what the answer may not call, beside all that no answer may (see `borrowing`).

    Raises:
        CheckError: whatever goes wrong inside, as one message.
    """
    return _case(function, case, hint, refused, show_error=True)


def hidden(
    function: str, case: str, hint: str = "", refused: tuple[str, ...] = ()
) -> AbstractContextManager[None]:
    """Run one case that students don't see: as `visible`, without the text of their own errors.

    That text could carry the hidden input out of the test.
    """
    return _case(function, case, hint, refused, show_error=False)


@contextmanager
def _case(function: str, case: str, hint: str, refused: tuple[str, ...], show_error: bool) -> Iterator[None]:
    refuse_replaced_functions()
    failure: CheckError | None = None
    silence = io.StringIO()
    watch = borrowing.watch(refused)
    with (
        redirect_stdout(silence),
        redirect_stderr(silence),
        warnings.catch_warnings(),
        default_switches(),
    ):
        warnings.simplefilter("ignore")  # nbgrader gives 0 to a cell that writes to stderr
        try:
            with watch:
                yield
        except BaseException as error:  # sys.exit and an interrupt included
            failure = _explain(error, function, show_error)
    refuse_replaced_functions()
    if watch.borrowed:
        failure = CheckError(
            f"your answer calls {watch.borrowed[0]}.", "The exercise asks for your own code."
        )
    if failure is not None:
        cause = failure.cause or (f"Keep in mind: {hint}" if hint else "")  # whether it is that, nobody knows
        raise CheckError(f"{function}, {case}: {failure.fact}", cause) from None


def _explain(error: BaseException, function: str, show_error: bool) -> CheckError:
    if isinstance(error, CheckError):
        return error
    if isinstance(error, NotImplementedError):
        return CheckError(
            "not written yet.", "Replace `raise NotImplementedError()` by your code and run its cell."
        )
    if isinstance(error, NameError) and error.name == function:
        return CheckError(f"there is no {function}.", "Run the cell with your answer first.")
    if isinstance(error, KeyboardInterrupt):
        return CheckError("stopped before it was done.", "This usually means a loop that does not end.")
    name = type(error).__name__
    if not show_error:
        own = getattr(builtins, name, None) is not type(error)
        return CheckError(f"your code raised {'an exception' if own else name}{_place(error)}.")
    text = str(error).strip().partition("\n")[0][:160]
    return CheckError(f"your code raised {name}{_place(error)}{': ' if text else ''}{text}")


def _place(error: BaseException) -> str:
    """Say in which line of the student's cell it happened: in the notebook, not in the test's cell."""
    if line := getattr(error, "answer_line", None):  # it happened in another process
        return f" in line {line} of its cell"
    frames = list(walk_tb(error.__traceback__))
    while frames and frames[0][0].f_globals.get("__name__") in (__name__, "contextlib"):
        frames.pop(0)
    own = [
        line
        for frame, line in frames
        if frame.f_globals is frames[0][0].f_globals
        and frame.f_code.co_filename != frames[0][0].f_code.co_filename
    ]
    return f" in line {own[-1]} of its cell" if own else ""


def waves(*sizes: int, start: float = 0.0, dtype: torch.dtype = torch.float64) -> torch.Tensor:
    """Return a tensor of unremarkable numbers in [-1, 1], the same on every machine: sin(start + 1.7 n)."""
    count = math.prod(sizes)
    return torch.sin(start + 1.7 * torch.arange(count, dtype=torch.float64)).reshape(sizes).to(dtype)


def check_shape(got: Any, **sizes: int) -> None:
    """Demand a tensor whose axes have these names and sizes, in this order."""
    if type(got) not in (torch.Tensor, torch.nn.Parameter):
        raise CheckError(f"expected a torch tensor, got {_kind(got)}.")
    shape, wanted = tuple(got.shape), tuple(sizes.values())
    if shape == wanted:
        return
    names = ", ".join(f"{name} {size}" for name, size in sizes.items())
    swapped = sorted(shape) == sorted(wanted)
    cause = "The sizes are right, their order is not: two axes are swapped." if swapped else ""
    raise CheckError(f"expected shape ({names}), got {shape}.", cause)


def check_dtype(got: torch.Tensor, expected: torch.dtype) -> None:
    """Demand the number type of the input."""
    if got.dtype != expected:
        raise CheckError(
            f"expected {expected} as in the input, got {got.dtype}.", "Do not convert the numbers."
        )


def check_close(
    got: Any,
    expected: Any,
    what: str,
    suspects: Mapping[str, Any] | None = None,
    axes: Sequence[str] = (),
    tolerance: float = 1e-6,
) -> None:
    """Demand equal numbers, texts and truth values in equally nested lists, tuples, arrays or tensors.

    Args:
        got: what came.
        expected: what should come.
        what: its name in the message.
        suspects: for each misconception, in a sentence, the value that it leads to.
        axes: names of the axes, for the message.
        tolerance: allowed |got - expected|, relative to 1 + |expected|.
    """
    got, expected = _plain(got), _plain(expected)
    difference = _difference(got, expected, tolerance)
    if difference is None:
        return
    path, wanted, came = difference
    labels = [f"{axes[i]} {k}" if i < len(axes) else str(k) for i, k in enumerate(path)]
    place = f"{what}[{', '.join(labels)}]" if labels else what
    causes = [
        why for why, value in (suspects or {}).items() if _difference(got, _plain(value), tolerance) is None
    ]
    raise CheckError(f"{place} should be {wanted}, got {came}.", causes[0] if causes else "")


def check_weights(
    weights: torch.Tensor, keep: torch.Tensor, axes: Sequence[str] = ("batch", "target", "source")
) -> None:
    """Demand attention weights: 0 where not kept, each row of the last axis sums to 1, or to 0 if all masked.

    Args:
        weights: α, source positions last.
        keep: boolean, same shape once broadcast; True = keep.
        axes: what the axes of `weights` are called.
    """
    values = np.array(_plain(weights), dtype=float)
    kept = np.broadcast_to(np.array(_plain(keep), dtype=bool), values.shape)
    some = np.asarray(kept.any(axis=-1))
    if np.isnan(values[~some]).any():
        raise CheckError(
            "a row whose keys are all masked has NaN weights; they should be 0.",
            "A softmax over nothing but -inf is 0 / 0.",
        )
    if not np.isfinite(values).all():
        raise CheckError("some weights are NaN or infinite; they should lie between 0 and 1.")
    tolerance = 1e-2 if weights.dtype in (torch.float16, torch.bfloat16) else 1e-5
    sums = values.sum(axis=-1)
    if not _near(sums, some, tolerance):
        for axis, name in enumerate(axes[:-1]):
            if _near(values.sum(axis=axis), 1, tolerance):
                raise CheckError(
                    f"your weights sum to 1 over the {name} axis; "
                    f"they should sum to 1 over the {axes[-1]} axis."
                )
    masked = values[~kept]
    if masked.any():
        worst = masked[np.abs(masked).argmax()]
        if some.all() and not values[kept].any():
            cause = "You masked the positions to keep: True means keep."
        elif _near(sums, 1, tolerance):
            cause = (
                "The mask did not reach the softmax: the sum of 1 counts the masked positions in. "
                "(A score of 0 is no mask: exp(0) = 1.)"
            )
        else:
            cause = ""
        raise CheckError(f"a masked position has weight {worst:.4g}; it should be exactly 0.", cause)
    wrong = np.argwhere(np.asarray(abs(sums - some) > tolerance)).tolist()
    if len(wrong):
        row = tuple(wrong[0])
        place = ", ".join(f"{name} {index}" for name, index in zip(axes, row, strict=False))
        total = float(sums[row])
        raise CheckError(
            f"the weights of row [{place}] sum to {total:.4g}; they should sum to {int(some[row])}.",
            "Masking after the softmax takes weight away that the kept positions should share."
            if 0 < total < 1
            else "",
        )


def _near(values: np.ndarray, target: Any, tolerance: float) -> bool:
    return bool((np.abs(values - target) <= tolerance).all())


def check_unchanged(
    argument: torch.Tensor | np.ndarray, before: torch.Tensor | np.ndarray, name: str
) -> None:
    """Demand that the student's function left the caller's tensor as it was."""
    if _difference(_plain(argument), _plain(before), 0.0) is not None:
        raise CheckError(
            f"your function changed the caller's {name}.",
            "A method whose name ends in _, an assignment to a slice, and += work in place; take a copy.",
        )


def check_gradient(leaf: torch.Tensor, name: str) -> None:
    """Demand that a backward pass reached a tensor, with finite numbers."""
    if leaf.grad is None:
        raise CheckError(
            f"no gradient reaches {name}.", "detach(), numpy, .item() and torch.tensor(...) cut the graph."
        )
    if not np.isfinite(np.array(_plain(leaf.grad))).all():
        raise CheckError(f"the gradient of {name} is NaN or infinite; every number of it should be finite.")


def check_columns(got: Any, *names: str) -> list[list[Any]]:
    """Demand a list of tuples with these fields; return one list for each field."""
    fields = ", ".join(names)
    if not isinstance(got, list):
        raise CheckError(f"expected a list of ({fields}), got {_kind(got)}.")
    for row in got:
        if not isinstance(row, tuple | list) or len(row) != len(names):
            came = f"{len(row)} of them" if isinstance(row, tuple | list) else _kind(row)
            raise CheckError(f"each entry of the list should be a tuple ({fields}), got {came}.")
    return [[row[i] for row in got] for i in range(len(names))]


def check_parts(got: Any, *names: str) -> tuple[Any, ...]:
    """Demand a tuple, or a list, with these parts, and return it; a tuple of a named kind is one, too."""
    for kind in (tuple, list):
        if issubclass(type(got), kind):
            parts = tuple(kind.__iter__(got))  # as it is stored, not as a class of the student's shows it
            if len(parts) == len(names):
                return parts
            raise CheckError(f"expected a tuple ({', '.join(names)}), got {len(parts)} of them.")
    raise CheckError(f"expected a tuple ({', '.join(names)}), got {_kind(got)}.")


def check_number(got: Any, what: str, cause: str = "Use float(...) at the end.") -> None:
    """Demand a plain number, numpy's included; a tensor is none."""
    if not isinstance(got, int | float | np.number):
        raise CheckError(f"{what} should be a float, got {_kind(got)}.", cause)


def check_raises(error: type[Exception], function: Any, *arguments: Any) -> None:
    """Demand that bad input is refused with this error."""
    try:
        function(*arguments)
    except error:
        return
    raise CheckError(f"expected a {error.__name__}, but the function returned.")


def _plain(value: Any) -> Any:
    """Turn arrays, tensors and tuples into nested lists of plain numbers, texts and truth values."""
    kind = type(value)
    if kind in (torch.Tensor, torch.nn.Parameter):
        return _to_list(_detach(value))
    if kind is np.ndarray or isinstance(value, np.generic):
        return _plain(value.tolist()) if kind is np.ndarray else value.item()
    for sequence in (list, tuple):  # a tuple of a named kind is one, too; it is read as it is stored
        if issubclass(kind, sequence):
            return [_plain(part) for part in sequence.__iter__(value)]
    if kind in (bool, int, float, str):
        return value
    raise CheckError(f"expected numbers, got {_kind(value)}.")


def _difference(got: Any, expected: Any, tolerance: float) -> tuple[tuple[int, ...], str, str] | None:
    """Return where two plain values first differ, what was expected there and what came."""
    if isinstance(got, list) or isinstance(expected, list):
        if not (isinstance(got, list) and isinstance(expected, list)):
            return (), _shown(expected), _shown(got)
        if len(got) != len(expected):
            return (), _shown(expected), _shown(got)
        for i, (one, other) in enumerate(zip(got, expected, strict=True)):
            inner = _difference(one, other, tolerance)
            if inner is not None:
                return (i, *inner[0]), *inner[1:]
        return None
    if type(expected) in (bool, str) or type(got) in (bool, str):
        same = type(got) is type(expected) and got == expected
    else:
        both_nan = got != got and expected != expected
        same = (
            both_nan
            or got == expected
            or -tolerance <= (got - expected) / (1 + max(expected, -expected)) <= tolerance
        )
    return None if same else ((), _shown(expected), _shown(got))


def _shown(value: Any) -> str:
    if isinstance(value, list):
        inner = "[" + ", ".join(_shown(part) for part in value) + "]"
        return inner if len(inner) <= 60 else f"a list of {len(value)}"
    return f"{value:.6g}" if isinstance(value, float) else str(value)[:40]


def _kind(value: Any) -> str:
    if value is None:
        return "None (is a `return` missing?)"
    return f"{type(value).__module__}.{type(value).__name__}".removeprefix("builtins.")[:60]


def refuse_replaced_functions() -> None:
    """Raise a `CheckError` if a function that says what is right is another one than at first."""
    for (owner, name), original in _ORIGINALS.items():
        if getattr(owner, name, None) is not original:
            raise CheckError(
                f"{owner.__name__}.{name} is not what it was when the course was loaded.",
                "Do not assign to the names of a library; restart the kernel and run all cells.",
            )


class _Sealed(ModuleType):
    """A module whose names cannot be assigned from outside."""

    def __setattr__(self, name: str, value: object) -> None:
        raise AttributeError(f"{self.__name__}.{name} cannot be replaced")


# What test cells may use to say what is right. Not all of torch: torch replaces some of its own functions.
_JUDGES: dict[Any, str] = {
    builtins: "abs all any bool enumerate float int isinstance len list max min range round sorted str sum "
    "tuple type zip",
    math: "exp fsum isclose log prod sqrt tanh",
    np: "abs all allclose any argwhere array array_equal broadcast_to isclose isfinite isnan ndarray",
    torch: "allclose arange as_tensor einsum equal exp isclose log matmul ones sin softmax stack sum tanh "
    "tensor zeros Tensor",
    torch.Tensor: "__add__ __eq__ __matmul__ __mul__ all any clone detach exp float item log masked_fill "
    "softmax sum tolist",
}
_THIS = sys.modules[__name__]
_ORIGINALS = {
    (owner, name): getattr(owner, name)
    for owner, names in (
        *_JUDGES.items(),
        (_THIS, " ".join(n for n in vars(_THIS) if n.startswith("check_") or n in ("visible", "hidden"))),
    )
    for name in names.split()
}
_THIS.__class__ = _Sealed
borrowing.__class__ = _Sealed
switches.__class__ = _Sealed
