"""Calling functions of another process, both ways, gradients included.

    judge                                    the process with the answers
    beam_search(model.step, …)   ── call ──▶  the student's function runs
    model.step runs              ◀── call ──  step(tokens, state)
                                 ── reply ─▶
                                 ◀─ reply ──  its result

Either side may call functions that the other has given it. While a side waits for a reply it serves what
the other asks. Tensors that need a gradient are copied, and stay joined: a backward pass on one side goes on
on the other. What a function changes in its arguments is changed for its caller.
"""

import builtins
import threading
from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext
from typing import Any

from course_tools.sandbox.wire import (
    ClosedError,
    Packer,
    Pipe,
    TimeUpError,
    Unpacker,
    WireError,
    named_type,
    type_name,
)

CUT = "(This cell showed more; the rest is left out.)"
NOTES = 100  # at most; who floods a pipe has said enough


class Ended(BaseException):
    """The process that a cell or a test ran in has ended; its text says how. The ones before it go on."""


class Over(BaseException):
    """The whole submission's process has ended."""


class Spoilt(Over):
    """A cell that has run is to blame: it holds too many processes, or writes where only we do."""


class Link:
    """One side of a pipe between two processes that call each other.

    Args:
        pipe: the pipe.
        around: what a call from the other side runs in, given the options that came with it.
        line: the line of an exception in the student's cell, or None.

    Attributes:
        options: plain JSON for the other side's `around`.
        notes: what the other side has said on its own account.
        ended: how the process of this cell or test has ended; empty while it has not.
    """

    def __init__(
        self,
        pipe: Pipe,
        around: Callable[[Any], AbstractContextManager[object]] = lambda options: nullcontext(),
        line: Callable[[BaseException], int | None] = lambda error: None,
    ) -> None:
        self.pipe, self._around, self._line = pipe, around, line
        self.notes: list[Any] = []
        self.options: Any = None
        self.ended = ""
        self._mine: dict[int, Any] = {}  # functions that the other side may call
        self._raised: dict[int, BaseException] = {}
        self._graphs: list[tuple[list[Any], list[Any]]] = []  # of each call: leaves that came, results
        self._lock = threading.RLock()

    def ask(self, asked: str, body: Any = None, numbers: bytes = b"") -> tuple[Any, bytes]:
        """Ask the other side for something, and serve it until the reply comes.

        Returns:
            The reply and its bytes.

        Raises:
            Ended: the process with the answers has ended.
            Exception: what the other side raised.
        """
        if self.ended:
            raise Ended(self.ended)
        with self._lock:
            self.pipe.send([asked, body], numbers)
            while True:
                (kind, body), numbers = self._receive()
                if kind == "reply":
                    return body, numbers
                if kind == "error" and asked in ("call", "backward"):
                    raise self._error(body, numbers)
                self.serve(kind, body, numbers)

    def has_unasked(self) -> bool:
        """Say whether more has come than we asked for, which only a student's code can have sent."""
        while self.pipe.has_input():
            (kind, body), _ = self._receive()
            if kind != "note":
                return True
            self.serve(kind, body, b"")
        return False

    def _receive(self) -> tuple[Any, bytes]:
        message, numbers = self.pipe.receive()
        if not isinstance(message, list) or len(message) != 2 or not isinstance(message[0], str):
            raise self._forged("no message")
        return message, numbers

    def _forged(self, what: str) -> WireError:
        self.notes.append(["tampered", "replies"])
        return WireError(what)

    def next_request(self) -> tuple[str, Any, bytes]:
        """Wait for what the other side asks."""
        (kind, body), numbers = self._receive()
        return kind, body, numbers

    def serve(self, kind: str, body: Any, numbers: bytes) -> None:
        """Do what the other side asks, and reply.

        Raises:
            Ended: it says that the process with the answers has ended.
        """
        if kind == "ended":
            self.ended = str(body)
            raise Ended(self.ended)
        if kind in ("over", "stuck"):
            raise Over if kind == "over" else Spoilt
        if kind == "note":
            if len(self.notes) < NOTES and isinstance(body, list) and len(body) == 2:
                self.notes.append(body)
            return
        try:
            if kind == "call":
                self.pipe.send(*self._serve_call(body, numbers))
            elif kind == "backward":
                self.pipe.send(*self._serve_backward(body, numbers))
            else:
                raise self._forged(f"nobody asks for {kind[:20]!r}")
        except (Ended, Over, ClosedError, TimeUpError, WireError):
            raise
        except BaseException as error:
            self.pipe.send(*self._describe(error))

    # ------------------------------------------------------------------ values

    def pack(self, value: Any) -> tuple[Any, bytes, list[Any]]:
        """Return JSON and bytes for a value, and the tensors in it that need a gradient."""
        tensors: list[Any] = []
        packer = Packer(self._function_to_json, tensors.append)
        return packer.pack(value), bytes(packer.numbers), tensors

    def unpack(self, packed: Any, numbers: bytes, tensor: Callable[[Any, str], Any] | None = None) -> Any:
        """Return the value that JSON and bytes stand for."""
        return Unpacker(numbers, self._function_from_json, tensor or _no_gradient).unpack(packed)

    def _function_to_json(self, function: Any) -> Any:
        if isinstance(function, RemoteFunction) and function.__dict__["link"] is self:
            return ["yours", function.__dict__["number"]]
        self._mine[id(function)] = function
        return ["function", id(function), *type_name(function)]

    def _function_from_json(self, packed: list[Any]) -> Any:
        if packed[0] == "yours":
            return self._mine[int(packed[1])]
        _, number, module, kind = packed
        return named_type(kind, (RemoteFunction,), module)(self, int(number))

    # ------------------------------------------------------------------ calls

    def call(self, number: int, arguments: tuple[Any, ...], keywords: dict[str, Any]) -> Any:
        """Call a function of the other side.

        Args:
            number: the number that it came with.
            arguments: by position.
            keywords: by name.

        Returns:
            What it returned.
        """
        packed, numbers, tensors = self.pack((arguments, keywords))
        reply, numbers = self.ask("call", [number, packed, self.options, _modes()], numbers)
        result, handle, changed, gradients = reply
        for place, (value, stays) in self.unpack(changed, numbers, _marked).items():
            _change(_arguments(arguments, keywords)[place], value, stays)
        _accumulate(tensors, self.unpack(gradients, numbers))
        joined: list[Any] = []

        def join(tensor: Any, _: str) -> Any:
            joined.append(tensor)
            return tensor

        self.unpack(result, numbers, join)
        if not joined:
            return self.unpack(result, numbers)
        through = iter(_joined(self, int(handle), joined, tensors))
        return self.unpack(result, numbers, lambda tensor, _: next(through))

    def _serve_call(self, body: Any, numbers: bytes) -> tuple[Any, bytes]:
        number, packed, options, modes = body
        leaves: list[Any] = []
        arguments, keywords = self.unpack(packed, numbers, _leaf_into(leaves))
        before = [(self.pack(value)[:2], _held(value)) for value in _arguments(arguments, keywords)]
        with self._around(options), _Modes(modes):
            result = self._mine[int(number)](*arguments, **keywords)
        changed = {
            place: (value, _stays(value, held))
            for place, (value, (packed, held)) in enumerate(
                zip(_arguments(arguments, keywords), before, strict=True)
            )
            if self.pack(value)[:2] != packed
        }
        gradients = [leaf.grad for leaf in leaves]
        for leaf in leaves:
            leaf.grad = None
        results: list[Any] = []
        packer = Packer(self._function_to_json, results.append)
        packed = packer.pack(result)
        if results:
            self._graphs.append((leaves, list(results)))
        rest = [len(self._graphs) - 1, packer.pack(changed), packer.pack(gradients)]
        return ["reply", [packed, *rest]], bytes(packer.numbers)

    # ------------------------------------------------------------------ gradients

    def backward(self, handle: int, gradients: list[Any], keep_graph: bool) -> list[Any]:
        """Continue a backward pass on the other side.

        Args:
            handle: which call it goes through.
            gradients: of the loss by each result that is joined, or None.
            keep_graph: whether the pass may be repeated.

        Returns:
            The gradients of the loss by the arguments that need one, or None.
        """
        packed, numbers, _ = self.pack(gradients)
        reply, numbers = self.ask("backward", [handle, packed, keep_graph], numbers)
        return self.unpack(reply, numbers)

    def _serve_backward(self, body: Any, numbers: bytes) -> tuple[Any, bytes]:
        import torch

        handle, packed, keep_graph = body
        leaves, results = self._graphs[int(handle)]
        pairs = [
            (result, gradient)
            for result, gradient in zip(results, self.unpack(packed, numbers), strict=True)
            if gradient is not None
        ]
        if pairs:
            ends, steps = (list(part) for part in zip(*pairs, strict=True))
            torch.autograd.backward(ends, steps, retain_graph=bool(keep_graph))
        reply, numbers, _ = self.pack([leaf.grad for leaf in leaves])
        for leaf in leaves:
            leaf.grad = None
        return ["reply", reply], numbers

    # ------------------------------------------------------------------ exceptions

    def _describe(self, error: BaseException) -> tuple[Any, bytes]:
        """Return a message that says what was raised; what the other side raised goes back as it was."""
        number = getattr(error, "_number", None)
        if number is None:
            self._raised[id(error)] = error
        base = next(kind for kind in type(error).__mro__ if getattr(builtins, kind.__name__, None) is kind)
        packed, numbers, _ = self.pack([list(error.args), getattr(error, "name", None)])
        return [
            "error",
            [number, id(error), type_name(error), base.__name__, packed, self._line(error)],
        ], numbers

    def _error(self, body: Any, numbers: bytes) -> BaseException:
        mine, number, (module, kind), base_name, packed, line = body
        if mine is not None:
            error = self._raised[int(mine)]
            if isinstance(line, int):
                vars(error).setdefault("answer_line", line)
            return error
        base = getattr(builtins, str(base_name))
        if not isinstance(base, type) or not issubclass(base, BaseException):
            raise WireError("no exception")
        is_base = kind == base_name and module == "builtins"
        arguments, name = self.unpack(packed, numbers)
        try:
            error = (base if is_base else named_type(kind, (base,), module))(*arguments)
        except Exception:  # one that cannot be made from what it says
            error = named_type(kind, (Exception,), module)(*arguments)
        if isinstance(error, KeyboardInterrupt):
            self.notes.append(["interrupted", ""])
        if isinstance(error, NameError):
            error.name = str(name)
        vars(error).update(_number=int(number), answer_line=line if isinstance(line, int) else None)
        return error


class RemoteFunction:
    """A function of the other process. Its type is called as the function's own, for messages."""

    def __init__(self, link: Link, number: int) -> None:
        self.__dict__.update(link=link, number=number)

    def __call__(self, *arguments: Any, **keywords: Any) -> Any:
        """Call it there."""
        mine = self.__dict__
        return mine["link"].call(mine["number"], arguments, keywords)


def _arguments(arguments: tuple[Any, ...], keywords: dict[str, Any]) -> list[Any]:
    return [*arguments, *keywords.values()]


def _parts(value: Any) -> dict[Any, Any]:
    """Return what lies in a collection, by place."""
    if isinstance(value, dict):
        return dict(value)
    return dict(enumerate(value)) if isinstance(value, list | tuple) else {}


def _held(value: Any) -> tuple[Any, dict[Any, Any]]:
    """Return a value and what lies in it, to tell later what was exchanged for another object."""
    return value, {place: _held(part) for place, part in _parts(value).items()}


def _stays(value: Any, held: tuple[Any, dict[Any, Any]]) -> Any:
    """Say by place which parts of a value are the objects that they were; False if itself is another one."""
    before, parts = held
    if value is not before:
        return False
    return {place: _stays(part, parts[place]) for place, part in _parts(value).items() if place in parts}


def _change(target: Any, value: Any, stays: dict[Any, Any]) -> None:
    """Bring the caller's argument to what the function has made of it, which `stays` knows."""
    old, new = _parts(target), _parts(value)
    for place, inner in stays.items():
        if inner is not False and place in old and place in new:
            _change(old[place], new[place], inner)
            new[place] = old[place]
    if isinstance(target, list):
        target[:] = new.values()
    elif isinstance(target, dict):
        target.clear()
        target.update(new)
    elif isinstance(target, set):
        target.clear()
        target.update(value)
    elif _is_array(target):
        if hasattr(target, "data_ptr"):
            target.data.copy_(value.data)
            if target.is_leaf:
                target.requires_grad_(value.requires_grad)
        else:
            target[...] = value


def _is_array(value: Any) -> bool:
    return hasattr(value, "shape") and hasattr(value, "__setitem__")


# ---------------------------------------------------------------------- torch, where it is loaded


def _torch() -> Any:
    import sys

    return sys.modules.get("torch")


def _modes() -> list[bool]:
    torch = _torch()
    return [torch.is_grad_enabled(), torch.is_inference_mode_enabled()] if torch else [True, False]


class _Modes:
    """Runs a call with gradients switched as its caller has them."""

    def __init__(self, modes: list[bool]) -> None:
        torch, (gradients, inference) = _torch(), modes
        self._modes = [torch.inference_mode(bool(inference))] if torch else []
        if torch and not inference:
            self._modes.append(torch.set_grad_enabled(bool(gradients)))

    def __enter__(self) -> None:
        for mode in self._modes:
            mode.__enter__()

    def __exit__(self, *error: Any) -> None:
        for mode in reversed(self._modes):
            mode.__exit__(*error)


def _no_gradient(tensor: Any, _: str) -> Any:
    return tensor


def _marked(tensor: Any, _: str) -> Any:
    return tensor.requires_grad_()


def _leaf_into(leaves: list[Any]) -> Callable[[Any, str], Any]:
    def leaf(tensor: Any, kind: str) -> Any:
        leaves.append(tensor.requires_grad_())
        return tensor if kind == "leaf" else tensor.clone()

    return leaf


def _accumulate(tensors: list[Any], gradients: list[Any]) -> None:
    """Hand on what the function has added to the gradients of its arguments."""
    for tensor, gradient in zip(tensors, gradients, strict=True):
        if gradient is not None:
            tensor.backward(gradient, retain_graph=True)


def _joined(link: Link, handle: int, results: list[Any], tensors: list[Any]) -> Any:
    """Return the results, joined to the arguments: a backward pass goes through the other process."""
    import torch

    class Through(torch.autograd.Function):
        @staticmethod
        def forward(ctx: Any, *_: Any) -> Any:
            ctx.set_materialize_grads(False)
            return tuple(results)

        @staticmethod
        def backward(ctx: Any, *gradients: Any) -> Any:
            keep = torch._C._autograd._get_current_graph_task_keep_graph()
            return None, *link.backward(handle, list(gradients), keep)

    with torch.enable_grad():
        # The first input lets results need a gradient that depends on nothing that was given.
        return Through.apply(torch.zeros((), requires_grad=True), *tensors)
