"""Attention of a run: who looked at what, how strongly."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Self

import numpy as np

from course_lib.traces.base import Trace, array, names, tokens

# Half precision leaves a row's sum this far from 1.
_TOLERANCE = 2e-3


@dataclass(frozen=True, eq=False)
class AttentionTrace(Trace):
    """Attention weights of one run, for every layer and head.

    Attributes:
        weights: (layers, heads, queries, keys) from 0 to 1; a row sums to at most 1: to 1 after a
            softmax, to less where a window takes weight away, to 0 where nothing is kept. NaN is allowed and
            shown as NaN.
        queries: what each row is (what is being written); strings may repeat.
        keys: what each column is (what is looked at); strings may repeat.
        keep: (queries, keys), True = may be looked at; None keeps all.
        layer_names: names of the layers; None counts them from 1.
        head_names: names of the heads; None counts them from 1.
        candidates: (queries, n) next tokens considered at each step, best first.
        candidate_probabilities: (queries, n) their probabilities, from 0 to 1.
        title: what the picture shows, as a sentence.
        read_as: names that the model hardly knows, each with the one that it was given in its place.
    """

    weights: np.ndarray = field(metadata=array(np.float32, "layers heads queries keys"))
    queries: tuple[str, ...] = field(metadata=tokens("queries"))
    keys: tuple[str, ...] = field(metadata=tokens("keys"))
    keep: np.ndarray | None = field(default=None, metadata=array(np.bool_, "queries keys"))
    layer_names: tuple[str, ...] | None = field(default=None, metadata=names("layers"))
    head_names: tuple[str, ...] | None = field(default=None, metadata=names("heads"))
    candidates: tuple[tuple[str, ...], ...] | None = field(
        default=None, metadata=tokens("queries candidates")
    )
    candidate_probabilities: np.ndarray | None = field(
        default=None, metadata=array(np.float32, "queries candidates")
    )
    title: str = ""
    read_as: tuple[tuple[str, str], ...] = field(default=(), metadata=names("lent pair"))

    def validate(self) -> None:
        """Check that the weights are weights.

        Raises:
            ValueError: an empty axis, a weight outside 0 to 1, weight on a masked key, a row that sums to
                more than 1, or candidates without probabilities.
        """
        if 0 in self.weights.shape:
            raise ValueError(f"weights must have no empty axis, got shape {self.weights.shape}")
        finite = np.nan_to_num(self.weights, nan=0.0, posinf=np.inf, neginf=-np.inf)
        if finite.min() < -_TOLERANCE or finite.max() > 1 + _TOLERANCE:
            raise ValueError(f"weights must lie in 0 to 1, got {finite.min():.4g} to {finite.max():.4g}")
        if self.keep is not None and np.any(finite[..., ~self.keep] != 0):
            raise ValueError("weights must be 0 where keep is False; mask the scores before the softmax")
        sums = self.weights.sum(-1)
        wrong = sums > 1 + _TOLERANCE  # never so for NaN
        if wrong.any():
            layer, head, query = np.argwhere(wrong)[0]
            raise ValueError(
                f"weights of each query must sum to at most 1 over the keys, but layer {layer}, "
                f"head {head}, query {query} sums to {sums[layer, head, query]:.4g}"
            )
        if (self.candidates is None) != (self.candidate_probabilities is None):
            raise ValueError("candidates and candidate_probabilities must be given together")

    @classmethod
    def from_steps(
        cls, steps: Sequence[Any], queries: Sequence[str], keys: Sequence[str], **others: Any
    ) -> Self:
        """Make a trace of ragged weights, as a decoder that looks back at a growing past leaves them.

        Args:
            steps: for each query an array (keys_i,) or (layers, heads, keys_i), over the first keys_i keys.
            queries: what each row is.
            keys: what each column is, as many as the longest step has.
            others: other fields of the trace, without `keep`.

        Returns:
            A trace in which the keys that a step did not have are masked.
        """
        rows = [np.asarray(step, np.float32) for step in steps]
        rows = [row[None, None] if row.ndim == 1 else row for row in rows]
        longest = max((row.shape[-1] for row in rows), default=0)
        if len({row.shape[:-1] for row in rows}) != 1 or longest > len(keys):
            raise ValueError(
                f"steps must be alike but for their last axis, of at most {len(keys)} keys, "
                f"got shapes {[row.shape for row in rows]}"
            )
        keep = np.array([np.arange(len(keys)) < row.shape[-1] for row in rows])
        padded = [np.pad(row, ((0, 0), (0, 0), (0, len(keys) - row.shape[-1]))) for row in rows]
        return cls(np.stack(padded, axis=2), tuple(queries), tuple(keys), keep=keep, **others)

    @classmethod
    def of_model(
        cls, weights: np.ndarray, queries: Sequence[str], keys: Sequence[str], name: str, **others: Any
    ) -> Self:
        """Make a trace of a model's weights: several layers and heads are numbered, a lone one is named.

        Args:
            weights: (layers, heads, queries, keys), or (queries, keys) of a model with one attention.
            queries: what each row is.
            keys: what each column is.
            name: the model's.
            others: other fields of the trace, such as `title`.
        """
        if weights.ndim == 2:
            return cls(weights[None, None], tuple(queries), tuple(keys), head_names=(name,), **others)
        layers, heads = weights.shape[:2]
        return cls(
            weights,
            tuple(queries),
            tuple(keys),
            layer_names=tuple(f"layer {i + 1}" for i in range(layers)),
            head_names=tuple(f"head {i + 1}" for i in range(heads)),
            **others,
        )

    @classmethod
    def side_by_side(
        cls, maps: Mapping[str, np.ndarray], queries: Sequence[str], keys: Sequence[str], **others: Any
    ) -> Self:
        """Make a trace of several looks at the same words, as the heads of one layer.

        Args:
            maps: name -> weights (queries, keys).
            queries: what each row is.
            keys: what each column is.
            others: other fields of the trace, such as `title` and `layer_names`.

        Raises:
            ValueError: there is no map, they differ in shape, or what `validate` refuses.
        """
        shapes = {name: np.shape(weights) for name, weights in maps.items()}
        if len(set(shapes.values())) != 1:
            raise ValueError(f"maps must be of one shape, and one or more; got {shapes}")
        weights = np.stack(list(maps.values()))[None]
        return cls(weights, tuple(queries), tuple(keys), head_names=tuple(maps), **others)

    def only(self, layer: int = 0, head: int = 0) -> Self:
        """Return a trace of one layer and one head; its head name says which they were.

        Raises:
            ValueError: a layer or head that does not exist.
        """
        layers, heads = self.weights.shape[:2]
        for name, value, size in (("layer", layer, layers), ("head", head, heads)):
            if not 0 <= value < size:
                raise ValueError(f"{name} must lie in 0 to {size - 1}, got {value}")
        named = [self.name_of_layer(layer)] * (layers > 1) + [self.name_of_head(head)] * (heads > 1)
        name = " · ".join(named) or self.name_of_head(head)
        weights = self.weights[layer : layer + 1, head : head + 1]
        return replace(self, weights=weights, layer_names=None, head_names=(name,))

    def name_of_layer(self, layer: int) -> str:
        """Return the layer's name, or its number from 1."""
        return self.layer_names[layer] if self.layer_names else f"Layer {layer + 1}"

    def name_of_head(self, head: int) -> str:
        """Return the head's name, or its number from 1."""
        return self.head_names[head] if self.head_names else f"Head {head + 1}"
