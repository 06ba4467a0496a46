"""Plain data between the process that holds a student's answers and the one that judges them.

What crosses is JSON and raw numbers: texts, numbers, lists, tuples, sets, dictionaries, arrays, tensors.
Nothing that is read can run: there is no pickle. A function stays where it is; only its number crosses. Of
any other object the name of its type crosses.
"""

import json
import math
import os
import select
import struct
import sys
import threading
import time
from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import numpy as np

SIZE_LIMIT = 64_000_000  # bytes of one message
COLLECTIONS_LIMIT = 1_000_000  # lists and dictionaries in it, which take much more memory than text
_HEAD = struct.Struct("<QQ")  # bytes of JSON, bytes of numbers
_NUMBERS = "biufcSU"  # kinds of arrays that are nothing but bytes
_SHORT = 80


class WireError(Exception):
    """What came is no message, or is too large."""


class ClosedError(Exception):
    """The other side is gone."""


class TimeUpError(Exception):
    """Nothing came before the deadline."""


class Pipe:
    """Sends and receives messages over two file descriptors.

    Args:
        read: where messages come from.
        write: where they go to.

    Attributes:
        deadline: when waiting ends, by `time.monotonic()`.
    """

    def __init__(self, read: int, write: int) -> None:
        self.read, self.write = read, write
        self.deadline = math.inf
        self._sending = threading.RLock()

    def send(self, message: Any, numbers: bytes = b"") -> None:
        """Send plain JSON, and bytes beside it.

        Raises:
            ClosedError: nobody reads any more.
            ValueError: the message is too large.
        """
        text = json.dumps(message).encode()
        if len(text) + len(numbers) > SIZE_LIMIT:
            raise ValueError(f"more than {SIZE_LIMIT // 1_000_000} MB at once")
        try:
            with self._sending:
                rest = memoryview(_HEAD.pack(len(text), len(numbers)) + text + numbers)
                while rest:
                    self._wait(writing=True)
                    rest = rest[os.write(self.write, rest[:65536]) :]
        except (BrokenPipeError, ConnectionResetError) as error:
            raise ClosedError from error

    def short_sender(self) -> Callable[[bytes], object]:
        """Return what sends a short message, as JSON, whatever becomes of the functions of this process."""
        write, end, sending, head, count = os.write, self.write, self._sending, _HEAD.pack, len

        def send(text: bytes) -> None:
            with sending:
                write(end, head(count(text), 0) + text)  # so little goes at once or not at all

        return send

    def receive(self) -> tuple[Any, bytes]:
        """Wait for the next message.

        Raises:
            ClosedError: nobody writes any more.
            TimeUpError: the deadline has passed.
            WireError: what came is no message.
        """
        text_size, numbers_size = _HEAD.unpack(self._exactly(_HEAD.size))
        if text_size + numbers_size > SIZE_LIMIT:
            raise WireError(f"more than {SIZE_LIMIT // 1_000_000} MB at once")
        text, numbers = self._exactly(text_size), self._exactly(numbers_size)
        return parse(text), numbers

    def has_input(self) -> bool:
        """Say whether something can be read, be it the end."""
        return bool(select.select([self.read], [], [], 0)[0])

    def drain(self) -> None:
        """Forget what has come and was not read."""
        while self.has_input():
            if not os.read(self.read, 1 << 20):
                return

    def close(self) -> None:
        """Close both ends."""
        os.close(self.read)
        os.close(self.write)

    def _exactly(self, size: int) -> bytes:
        parts = bytearray()
        while len(parts) < size:
            self._wait()
            part = os.read(self.read, min(size - len(parts), 1 << 20))
            if not part:
                raise ClosedError
            parts += part
        return bytes(parts)

    def _wait(self, writing: bool = False) -> None:
        """Return once something can be read, or written."""
        if self.deadline == math.inf:
            return
        left = self.deadline - time.monotonic()
        ends: tuple[list[int], list[int]] = ([], [self.write]) if writing else ([self.read], [])
        if left <= 0 or not any(select.select(*ends, [], left)):
            raise TimeUpError


def parse(text: bytes) -> Any:
    """Parse JSON, whoever wrote it.

    Raises:
        WireError: it is none, is nested too deeply or holds too many lists and dictionaries.
    """
    if text.count(b"[") + text.count(b"{") > COLLECTIONS_LIMIT:
        raise WireError(f"more than {COLLECTIONS_LIMIT:,} lists and dictionaries")
    try:
        return json.loads(text)
    except RecursionError as error:
        raise WireError("lists and dictionaries that are nested too deeply") from error
    except ValueError as error:
        raise WireError("broken JSON") from error


class Packer:
    """Turns values into JSON, and the numbers of arrays and tensors into bytes.

    Args:
        function: gives a function the JSON that stands for it.
        tensor: told of each tensor that needs a gradient, in order.

    Attributes:
        numbers: the bytes so far.
    """

    def __init__(self, function: Callable[[Any], Any], tensor: Callable[[Any], object]) -> None:
        self._function, self._tensor = function, tensor
        self.numbers = bytearray()

    def pack(self, value: Any) -> Any:
        """Return the JSON for a value: what is no plain JSON is a list that begins with a name."""
        kind = type(value)
        if value is None or kind in (bool, int, float, str):
            return value
        torch = sys.modules.get("torch")
        if torch is not None and isinstance(value, torch.Tensor):
            return self._pack_tensor(value, torch)
        if isinstance(value, np.ndarray) and value.dtype.kind in _NUMBERS:
            return ["array", value.dtype.str, list(value.shape), self._keep(value.tobytes())]
        if isinstance(value, np.generic) and value.dtype.kind in _NUMBERS:
            return ["number", value.dtype.str, self._keep(value.tobytes())]
        for base, name in ((list, "list"), (tuple, "tuple"), (set, "set"), (frozenset, "frozenset")):
            if isinstance(value, base):
                return [name, *map(self.pack, value)]
        if isinstance(value, dict):
            return ["dict", *([self.pack(key), self.pack(inner)] for key, inner in value.items())]
        for plain in (str, int, float):
            if isinstance(value, plain):
                return plain(value)
        if isinstance(value, complex):
            return ["complex", value.real, value.imag]
        if isinstance(value, bytes):
            return ["bytes", self._keep(value)]
        if isinstance(value, range):
            return ["range", value.start, value.stop, value.step]
        if isinstance(value, SimpleNamespace):
            return ["namespace", *([name, self.pack(inner)] for name, inner in vars(value).items())]
        if torch is not None and isinstance(value, torch.dtype):
            return ["dtype", str(value).removeprefix("torch.")]
        if callable(value):
            return self._function(value)
        return ["foreign", *type_name(value)]

    def _keep(self, content: bytes) -> list[int]:
        self.numbers += content
        return [len(self.numbers) - len(content), len(content)]

    def _pack_tensor(self, tensor: Any, torch: Any) -> Any:
        if tensor.layout != torch.strided or tensor.device.type != "cpu" or tensor.is_quantized:
            return ["foreign", *type_name(tensor)]
        plain = tensor.detach().resolve_conj().resolve_neg()
        order = sorted(range(plain.ndim), key=lambda axis: -plain.stride(axis))  # as it lies in memory
        flat = plain.permute(order).clone(memory_format=torch.contiguous_format).reshape(-1)
        content = flat.view(torch.uint8).numpy().tobytes()
        gradient = None
        if tensor.requires_grad:
            gradient = "leaf" if tensor.is_leaf else "inner"
            self._tensor(tensor)
        kind = str(tensor.dtype).removeprefix("torch.")
        return ["tensor", kind, [plain.shape[axis] for axis in order], order, gradient, self._keep(content)]


class Unpacker:
    """Turns JSON and bytes back into values, whoever sent them.

    Args:
        numbers: the bytes that came.
        function: makes a function of the JSON that stands for it.
        tensor: given each tensor that needs a gradient and "leaf" or "inner"; what it returns is taken.
    """

    def __init__(
        self, numbers: bytes, function: Callable[[list[Any]], Any], tensor: Callable[[Any, str], Any]
    ) -> None:
        self._numbers, self._function, self._tensor = numbers, function, tensor

    def unpack(self, packed: Any) -> Any:
        """Return the value.

        Raises:
            WireError: what came stands for no value.
        """
        try:
            return self._unpack(packed)
        except (ArithmeticError, ValueError, TypeError, LookupError, RuntimeError) as error:
            raise WireError(f"no value: {type(error).__name__}") from error

    def _unpack(self, packed: Any) -> Any:
        if not isinstance(packed, list):
            if isinstance(packed, dict):
                raise WireError("no value: a dictionary")
            return packed
        name, *parts = packed
        if name in ("function", "yours"):
            return self._function(packed)
        return getattr(self, f"_{_READERS[name]}")(name, *parts)

    def _collection(self, name: str, *parts: Any) -> Any:
        kind = {"list": list, "tuple": tuple, "set": set, "frozenset": frozenset}[name]
        return kind([self._unpack(part) for part in parts])

    def _dict(self, name: str, *parts: Any) -> Any:
        found = {self._unpack(key): self._unpack(inner) for key, inner in parts}
        return found if name == "dict" else SimpleNamespace(**found)

    def _bytes(self, _: str, place: list[int]) -> bytes:
        start, size = place
        if not 0 <= start <= start + size <= len(self._numbers):
            raise WireError("no value: bytes that did not come")
        return self._numbers[start : start + size]

    def _array(self, name: str, kind: str, *parts: Any) -> Any:
        dtype = np.dtype(kind)
        if dtype.kind not in _NUMBERS:
            raise WireError(f"no value: an array of {dtype}")
        found = np.frombuffer(self._bytes(name, parts[-1]), dtype)
        return found.reshape(parts[0]).copy() if name == "array" else found[0]

    def _tensor_value(self, name: str, kind: str, sizes: Any, order: Any, gradient: Any, place: Any) -> Any:
        import torch

        dtype = getattr(torch, kind)
        if not isinstance(dtype, torch.dtype) or sorted(order) != list(range(len(sizes))):
            raise WireError("no value: a tensor of what?")
        content = bytearray(self._bytes(name, place))
        flat = torch.frombuffer(content, dtype=dtype) if content else torch.empty(0, dtype=dtype)
        back = [order.index(axis) for axis in range(len(order))]
        tensor = flat.reshape(sizes).permute(back)
        return tensor if gradient is None else self._tensor(tensor, str(gradient))

    def _scalar(self, name: str, *parts: Any) -> Any:
        if name == "dtype":
            import torch

            found = getattr(torch, str(parts[0]))
            if not isinstance(found, torch.dtype):
                raise WireError("no value: no type of number")
            return found
        if name == "range" and len(numbers := range(*map(int, parts))) <= SIZE_LIMIT:
            return numbers
        return complex(*map(float, parts))

    def _foreign(self, _: str, module: str, kind: str) -> Any:
        return named_type(kind, (), module)()


_READERS = {
    **dict.fromkeys(("list", "tuple", "set", "frozenset"), "collection"),
    **dict.fromkeys(("dict", "namespace"), "dict"),
    **dict.fromkeys(("array", "number"), "array"),
    **dict.fromkeys(("complex", "range", "dtype"), "scalar"),
    "bytes": "bytes",
    "tensor": "tensor_value",
    "foreign": "foreign",
}


def type_name(value: Any) -> tuple[str, str]:
    """Return module and name of a value's type, short."""
    return str(type(value).__module__)[:_SHORT], str(type(value).__name__)[:_SHORT]


def named_type(name: str, bases: tuple[type, ...], module: str) -> type:
    """Make an empty type of this name, for messages that say what came."""
    return type(str(name)[:_SHORT].replace("\0", ""), bases, {"__module__": str(module)[:_SHORT]})
