"""The picture of attention weights: a pure function of an `AttentionTrace`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from course_lib.figures.theme import LIGHT, WEIGHT_SCALE, Theme, drawable, drawing
from course_lib.figures.tokens import token_label
from course_lib.traces import AttentionTrace

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

_MOST_LABELS = 48  # more than these on one axis cannot be read
_MOST_VALUES = 14  # up to this many keys the weights are written into the cells
_MOST_CELLS = 160  # a longer axis is pooled
_MOST_LARGE = 4  # more heads than these are drawn small, without labels


def row_entropy(weights: np.ndarray) -> np.ndarray:
    """Entropy of each row in bits: H = -Σ w log2 w, with 0 log 0 = 0.

    Args:
        weights: (..., keys) from 0 to 1.

    Returns:
        (...), from 0 (all weight on one key) to log2(keys); NaN where a weight is NaN.
    """
    logs = np.log2(np.where(weights == 0, 1, weights))
    return np.abs((weights * logs).sum(-1))


def static_attention(
    trace: AttentionTrace,
    *,
    layer: int = 0,
    heads: Sequence[int] | None = None,
    scale: str = "fixed",
    theme: Theme = LIGHT,
) -> Figure:
    """Draw attention weights, one map a head, all on one colour scale.

    Args:
        trace: the weights and their tokens.
        layer: which layer, from 0.
        heads: which heads, from 0, left to right; None draws all of the layer.
        scale: "fixed" for colours from 0 to 1, "largest" for 0 to the largest weight drawn.
        theme: colours of the background.

    Returns:
        A matplotlib figure; beside each row its sum and its entropy in bits. More than four heads are
        drawn small and without labels; of an axis longer than 160, each cell shows the largest of a block.

    Raises:
        ValueError: a layer, head or scale that does not exist.
    """
    from matplotlib.figure import Figure

    layer, heads = _check(trace, layer, heads)
    if scale not in ("fixed", "largest"):
        raise ValueError(f"scale must be 'fixed' or 'largest', got {scale!r}")
    shown = trace.weights[layer, heads]
    finite = shown[np.isfinite(shown)]
    top = 1.0 if scale == "fixed" or finite.size == 0 or finite.max() == 0 else float(finite.max())
    small = len(heads) > _MOST_LARGE
    queries, keys = shown.shape[1:]
    cell = (1.7 if small else 6.5) / max(queries, keys)
    width, height = (max(1.0, min(0.46, cell) * count) for count in (keys, queries))
    if not small:
        width, height = width + 1.1, height + 0.3 + _inches(trace.keys)
    across = min(len(heads), max(1, int(13 / width)))
    down = -(-len(heads) // across)
    with drawing(theme):
        figure = Figure(
            figsize=(across * width + _inches(trace.queries) + 0.9, down * (height + 0.35) + 0.6),
            layout="constrained",
        )
        grid = figure.subplots(down, across, squeeze=False)
        for axes in grid.flat[len(heads) :]:
            axes.axis("off")
        for panel, (axes, weights) in enumerate(zip(grid.flat, shown, strict=False)):
            image = _draw_cells(axes, trace, weights, top, theme, small)
            if small:
                axes.set_xticks([])
                axes.set_yticks([])
            else:
                _draw_labels(axes, trace, weights, theme, first=panel % across == 0)
            if trace.weights.shape[1] > 1:
                axes.set_title(drawable(trace.name_of_head(heads[panel])), fontsize=9 if small else 11, pad=6)
        if trace.title:
            figure.suptitle(drawable(trace.title), x=0.01, ha="left", fontweight="bold")
        bar = figure.colorbar(image, ax=grid, fraction=0.03, pad=0.015, aspect=24)
        bar.set_label("attention weight", color=theme.muted, fontsize=10)
        bar.ax.tick_params(labelsize=9, labelcolor=theme.muted, color=theme.line)
        bar.outline.set_visible(False)
        _draw_legend(figure, trace, shown, theme)
    return figure


def describe_attention(
    trace: AttentionTrace, *, layer: int = 0, heads: Sequence[int] | None = None, rows: int = 12
) -> str:
    """Say in words what the picture shows: for each row the strongest key and its weight.

    Args:
        trace: the weights and their tokens.
        layer: which layer, from 0.
        heads: which heads, from 0; None takes all of the layer.
        rows: how many rows are told, at most, for the first head; the others get one sentence.
    """
    layer, heads = _check(trace, layer, heads)
    queries, keys = trace.weights.shape[2:]
    names = ", ".join(trace.name_of_head(head) for head in heads)
    text = f"{trace.title} " if trace.title else ""
    text += f"Attention weights, {queries} rows by {keys} columns, {trace.name_of_layer(layer)}: {names}."
    for head in heads[:2]:
        told = [_describe_row(trace, trace.weights[layer, head, i], i) for i in range(min(rows, queries))]
        text += f" {trace.name_of_head(head)}: {'; '.join(told)}."
    return text + (f" {queries - rows} more rows." if queries > rows else "")


def _describe_row(trace: AttentionTrace, weights: np.ndarray, query: int) -> str:
    name = f"“{token_label(trace.queries[query])}”"
    if np.isnan(weights).all():
        return f"{name} has no numbers (NaN)"
    if not np.nansum(weights):
        return f"{name} looks at nothing"
    best = int(np.nanargmax(weights))
    return f"{name} looks most at “{token_label(trace.keys[best])}” ({weights[best]:.2f})"


def _check(trace: AttentionTrace, layer: int, heads: Sequence[int] | None) -> tuple[int, list[int]]:
    layers, count = trace.weights.shape[:2]
    if not 0 <= layer < layers:
        raise ValueError(f"layer must lie in 0 to {layers - 1}, got {layer}")
    chosen = list(range(count) if heads is None else heads)
    if not chosen or not all(0 <= head < count for head in chosen):
        raise ValueError(f"heads must be numbers from 0 to {count - 1}, at least one, got {heads!r}")
    return layer, chosen


def _inches(labels: Sequence[str]) -> float:
    return 0.35 + 0.095 * min(16, max(len(token_label(label)) for label in labels))


def _tick_labels(labels: Sequence[str]) -> tuple[list[int], list[str]]:
    step = -(-len(labels) // _MOST_LABELS)
    places = list(range(0, len(labels), step))
    texts = [drawable(token_label(labels[i])) for i in places]
    return places, [text if len(text) <= 16 else text[:15] + "…" for text in texts]


def _draw_cells(
    axes: Axes, trace: AttentionTrace, weights: np.ndarray, top: float, theme: Theme, small: bool
) -> Any:
    from matplotlib import colormaps
    from matplotlib.patches import Rectangle

    queries, keys = weights.shape
    keep = np.ones((queries, keys), bool) if trace.keep is None else trace.keep
    values = np.where(keep, weights, np.nan)
    colours = colormaps[WEIGHT_SCALE].with_extremes(bad=theme.masked)
    image = axes.imshow(
        _pooled(values), cmap=colours, vmin=0, vmax=top, extent=(-0.5, keys - 0.5, queries - 0.5, -0.5)
    )
    axes.spines[:].set_visible(False)
    axes.tick_params(which="both", length=0)
    if small or max(queries, keys) > _MOST_LABELS:
        return image
    axes.set_xticks(np.arange(keys + 1) - 0.5, minor=True)
    axes.set_yticks(np.arange(queries + 1) - 0.5, minor=True)
    axes.grid(which="minor", color=theme.paper, linewidth=1)
    for query, key in np.ndindex(queries, keys):
        value = float(weights[query, key])
        pattern = _pattern(bool(keep[query, key]), value, theme)
        if pattern:
            axes.add_patch(Rectangle((key - 0.5, query - 0.5), 1, 1, linewidth=0, **pattern))
        elif value == 0:
            axes.plot(key, query, "o", markersize=3.5, mfc="none", mec="white", mew=0.8)
        elif keys <= _MOST_VALUES and value >= 0.005:
            ink = "black" if value / top > 0.55 else "white"
            text = f"{value:.2f}".removeprefix("0")
            axes.text(key, query, text, ha="center", va="center", color=ink, fontsize=8.5)
    return image


def _pooled(values: np.ndarray) -> np.ndarray:
    """Keep the largest weight of each block, so that no axis is longer than _MOST_CELLS."""
    for axis in (0, 1):
        length = values.shape[axis]
        if length > _MOST_CELLS:
            starts = np.arange(_MOST_CELLS) * length // _MOST_CELLS
            values = np.fmax.reduceat(values, starts, axis=axis)
    return values


def _draw_labels(axes: Axes, trace: AttentionTrace, weights: np.ndarray, theme: Theme, first: bool) -> None:
    axes.tick_params(labelsize=10)
    axes.xaxis.tick_top()
    places, texts = _tick_labels(trace.keys)
    flat = max(map(len, texts)) <= 2
    axes.set_xticks(places, texts, rotation=0 if flat else 55, ha="center" if flat else "left")
    places, texts = _tick_labels(trace.queries)
    axes.set_yticks(places, texts if first else [""] * len(places))
    if len(trace.queries) > _MOST_LABELS:
        return
    measures = zip(weights.sum(-1), row_entropy(weights), strict=True)
    side = axes.secondary_yaxis("right")
    side.spines[:].set_visible(False)
    side.tick_params(length=0)
    texts = [f"{total:.2f}  {bits:.2f}".replace("nan", "NaN") for total, bits in measures]
    side.set_yticks(range(len(texts)), texts, color=theme.muted, fontsize=9)
    corner: dict[str, Any] = {"xycoords": "axes fraction", "textcoords": "offset points"}
    axes.annotate("sum  bits", (1, 1), (4, 3), fontsize=9, color=theme.muted, **corner)


def _pattern(kept: bool, value: float, theme: Theme) -> dict[str, Any] | None:
    if not kept:
        return {"facecolor": theme.masked, "edgecolor": theme.muted, "hatch": "////"}
    if np.isnan(value):
        return {"facecolor": theme.paper, "edgecolor": theme.bad, "hatch": "xx"}
    return None


def _draw_legend(figure: Figure, trace: AttentionTrace, shown: np.ndarray, theme: Theme) -> None:
    from matplotlib.lines import Line2D
    from matplotlib.patches import Patch

    keep = np.ones(shown.shape[1:], bool) if trace.keep is None else trace.keep
    handles: list[Any] = []
    if (shown[:, keep] == 0).any():
        ring = Line2D(
            [], [], label="exactly 0", marker="o", markersize=5, mfc="none", mec=theme.ink, ls="none"
        )
        handles.append(ring)
    if not keep.all():
        handles.append(Patch(label="masked", **(_pattern(False, 0.0, theme) or {})))
    if np.isnan(shown[:, keep]).any():
        handles.append(Patch(label="NaN", **(_pattern(True, np.nan, theme) or {})))
    if handles:
        figure.legend(handles=handles, loc="outside lower left", ncols=3, frameon=False, fontsize=9)
