"""What every trace shares: declared shapes, validation, saving without pickle."""

from __future__ import annotations

import json
import re
from dataclasses import Field, dataclass, fields
from pathlib import Path
from typing import Any, Self

import numpy as np


def array(dtype: Any, axes: str) -> dict[str, Any]:
    """Describe a numpy field: `weights: np.ndarray = field(metadata=array(np.float32, "rows keys"))`.

    Args:
        dtype: numpy type that the values are converted to.
        axes: names of the axes, separated by spaces; equal names must have equal lengths.
    """
    return {"dtype": np.dtype(dtype), "axes": tuple(axes.split())}


def tokens(axes: str) -> dict[str, Any]:
    """Describe a field of token strings: (nested) tuples, one level for each axis. Never interpreted."""
    return {"axes": tuple(axes.split()), "tokens": True}


def names(axes: str) -> dict[str, Any]:
    """Describe a field of names chosen by us (layers, classes): (nested) tuples of str."""
    return {"axes": tuple(axes.split())}


def whole_characters(text: str) -> str:
    """Return a text with each lone half of a character (a surrogate) as its code point, ⟨U+D83D⟩.

    No file and no message can hold such a half.
    """
    return re.sub("[\ud800-\udfff]", lambda half: f"⟨U+{ord(half[0]):04X}⟩", text)


@dataclass(frozen=True, eq=False)
class Trace:
    """What a run of a model leaves behind: read-only arrays and strings, checked when made.

    A subclass is a `@dataclass(frozen=True, eq=False)` whose fields carry metadata made by `array`,
    `tokens` or `names`, or are plain numbers and strings; a field whose default is None may be None.
    Tokens stay as they are; titles and names are for people (see `whole_characters`).
    Lengths of equally named axes are compared here; what the values mean is checked by the subclass's
    `validate`.
    """

    def __post_init__(self) -> None:
        sizes: dict[str, tuple[int, str]] = {}
        for f in fields(self):
            value = getattr(self, f.name)
            if isinstance(value, str):
                object.__setattr__(self, f.name, whole_characters(value))
            if "axes" not in f.metadata or (value is None and f.default is None):
                continue
            value = _as_array(f, value) if "dtype" in f.metadata else _as_strings(f, value)
            object.__setattr__(self, f.name, value)
            shape = value.shape if isinstance(value, np.ndarray) else _nested_shape(value, f)
            for axis, length in zip(f.metadata["axes"], shape, strict=True):
                seen, first = sizes.setdefault(axis, (length, f.name))
                if seen != length:
                    raise ValueError(f"{f.name} has {length} {axis}, but {first} has {seen}")
        self.validate()

    def validate(self) -> None:
        """Check what the values mean; raise ValueError naming the field at fault."""

    def save(self, path: str | Path) -> Path:
        """Write the trace as one .npz file, without pickle.

        Args:
            path: where to write; a missing suffix is added.

        Returns:
            The path written.
        """
        path = Path(path)
        path = path if path.suffix == ".npz" else path.with_name(path.name + ".npz")
        values = {f.name: getattr(self, f.name) for f in fields(self)}
        arrays: dict[str, Any] = {k: value for k, value in values.items() if isinstance(value, np.ndarray)}
        rest = {name: value for name, value in values.items() if name not in arrays}
        # numpy's own strings lose a trailing NUL, JSON keeps every string.
        text = json.dumps({"type": type(self).__name__, "fields": rest}).encode()
        with path.open("wb") as file:
            np.savez_compressed(file, _text=np.frombuffer(text, np.uint8), **arrays)
        return path

    @classmethod
    def load(cls, path: str | Path) -> Self:
        """Read a trace written by `save`.

        Raises:
            ValueError: the file holds another kind of trace.
        """
        with np.load(path, allow_pickle=False) as file:
            arrays = {name: file[name] for name in file.files}
        text = json.loads(arrays.pop("_text").tobytes())
        if text["type"] != cls.__name__:
            raise ValueError(f"path must hold {cls.__name__}, but {path} holds {text['type']}")
        return cls(**arrays, **text["fields"])

    def __eq__(self, other: object) -> bool:
        if type(other) is not type(self):
            return NotImplemented
        return all(_same(getattr(self, f.name), getattr(other, f.name)) for f in fields(self))

    __hash__ = None  # type: ignore[assignment]


def _as_array(f: Field[Any], value: Any) -> np.ndarray:
    dtype, axes = f.metadata["dtype"], f.metadata["axes"]
    values = np.array(value)
    if values.ndim != len(axes):
        raise ValueError(f"{f.name} must have the axes ({', '.join(axes)}), got shape {values.shape}")
    if values.dtype.kind not in "biuf" or (dtype.kind == "b" and values.dtype.kind != "b"):
        raise TypeError(f"{f.name} must hold {dtype.name} values, got {values.dtype.name}")
    if dtype.kind in "iu" and values.dtype.kind == "f" and not np.array_equal(values, np.round(values)):
        raise TypeError(f"{f.name} must hold whole numbers, got {values.dtype.name} with fractions")
    values = values.astype(dtype)
    values.flags.writeable = False
    return values


def _as_strings(f: Field[Any], value: Any) -> tuple[Any, ...]:
    def freeze(item: Any, depth: int) -> Any:
        if depth == 0:
            if not isinstance(item, str):
                raise TypeError(f"{f.name} must hold strings, got {type(item).__name__} {item!r}")
            return item if f.metadata.get("tokens") else whole_characters(item)
        if isinstance(item, str) or not hasattr(item, "__iter__"):
            raise TypeError(f"{f.name} must be a tuple of str for each of ({', '.join(f.metadata['axes'])})")
        return tuple(freeze(part, depth - 1) for part in item)

    frozen: tuple[Any, ...] = freeze(value, len(f.metadata["axes"]))
    return frozen


def _nested_shape(value: tuple[Any, ...], f: Field[Any]) -> tuple[int, ...]:
    shape: tuple[int, ...] = (len(value),)
    for _ in f.metadata["axes"][1:]:
        lengths = {len(part) for part in value}
        if len(lengths) > 1:
            raise ValueError(f"{f.name} must hold equally long tuples, got lengths {sorted(lengths)}")
        shape += (lengths.pop() if lengths else 0,)
        value = tuple(item for part in value for item in part)
    return shape


def _same(left: Any, right: Any) -> bool:
    if isinstance(left, np.ndarray) and isinstance(right, np.ndarray):
        return left.shape == right.shape and np.array_equal(left, right, equal_nan=left.dtype.kind == "f")
    return type(left) is type(right) and bool(left == right or (left != left and right != right))
