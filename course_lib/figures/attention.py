"""The picture of attention weights: a pure function of an `AttentionTrace`."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from course_lib.figures.theme import (
    LIGHT,
    WEIGHT_SCALE,
    Theme,
    difference_colours,
    drawable,
    drawing,
    heading,
    ink_on,
)
from course_lib.figures.tokens import token_label
from course_lib.traces import AttentionTrace

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

_MOST_LABELS = 48  # more than these on one axis cannot be read
_MOST_CELLS = 160  # a longer axis is pooled
_DETAIL = 0.13  # inches of a cell from which on it has a border and a pattern
_WRITTEN = 0.4  # inches of a cell from which on a number fits into it
_WIDEST = 13  # inches of a picture
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
    layer: int | None = 0,
    heads: Sequence[int] | None = None,
    scale: str = "fixed",
    theme: Theme = LIGHT,
) -> Figure:
    """Draw attention weights, one map a head, all on one colour scale.

    Args:
        trace: the weights and their tokens.
        layer: which layer, from 0; None draws all, one below the other.
        heads: which heads, from 0, left to right; None draws all of the layer.
        scale: "fixed" for colours from 0 to 1, "largest" for 0 to the largest weight drawn.
        theme: colours of the background.

    Returns:
        A matplotlib figure; beside each row its sum and its entropy in bits. More than four heads are
        drawn small and without labels; of an axis longer than 160, each cell shows the largest of a block.

    Raises:
        ValueError: a layer, head or scale that does not exist.
    """
    layers, heads = _check(trace, layer, heads)
    panels = [trace.only(one, head) for one in layers for head in heads]
    if len(layers) == 1:
        named = [trace.name_of_head(head) if trace.weights.shape[1] > 1 else "" for head in heads]
        panels = [replace(one, head_names=(name,)) for one, name in zip(panels, named, strict=True)]
    return _draw_maps(panels, trace.title, scale, theme, across=len(heads) if len(layers) > 1 else None)


def draw_attention(axes: Axes, trace: AttentionTrace) -> None:
    """Draw one map on axes of a figure that shows something else, too.

    Args:
        axes: where to draw; colours go from 0 to 1.
        trace: one map, as `trace.only(layer, head)` gives it; its title stands above.

    Raises:
        ValueError: a trace with more than one map.
    """
    _check_one("trace", trace)
    _draw_cells(axes, trace.weights[0, 0], _keep(trace), WEIGHT_SCALE, (0, 1), LIGHT, cell=_DETAIL)
    for ticks, labels in ((axes.set_xticks, trace.keys), (axes.set_yticks, trace.queries)):
        ticks(*_tick_labels(labels))
    axes.tick_params(labelsize=9)
    axes.set_title(drawable(trace.title))


def static_comparison(
    first: AttentionTrace,
    second: AttentionTrace,
    *,
    difference: bool = True,
    scale: str = "fixed",
    theme: Theme = LIGHT,
) -> Figure:
    """Draw two maps side by side on one colour scale, and what the first has more than the second.

    Args:
        first: one map, as `trace.only(layer, head)` gives it.
        second: another; without `difference` it may have other tokens.
        difference: whether first minus second is drawn too: green with a plus where the first has more,
            purple with a minus where the second has; beside each row the weight that moved, half the sum of
            |difference|.
        scale: "fixed" for colours from 0 to 1, "largest" for 0 to the largest weight drawn.
        theme: colours of the background.

    Raises:
        ValueError: a trace with more than one map, a difference of maps with unlike tokens, or a scale
            that does not exist.
    """
    _check_pair(first, second, difference)
    title = first.title if first.title == second.title else ""
    return _draw_maps([first, second], title, scale, theme, across=2 + difference, difference=difference)


def describe_comparison(first: AttentionTrace, second: AttentionTrace, *, difference: bool = True) -> str:
    """Say in words what `static_comparison` shows: both maps, and where they differ most."""
    _check_pair(first, second, difference)
    text = f"{describe_attention(first)} Beside it: {describe_attention(replace(second, title=''))}"
    if not difference:
        return text
    gap = np.nan_to_num(first.weights[0, 0] - second.weights[0, 0])
    query, key = np.unravel_index(np.abs(gap).argmax(), gap.shape)
    place = f"“{token_label(first.queries[query])}” looks at “{token_label(first.keys[key])}”"
    return f"{text} They differ most where {place}: {gap[query, key]:+.2f}."


def _check_pair(first: AttentionTrace, second: AttentionTrace, difference: bool) -> None:
    _check_one("first", first)
    _check_one("second", second)
    if difference and (first.queries, first.keys) != (second.queries, second.keys):
        raise ValueError("difference needs two maps with the same queries and the same keys")


def _check_one(name: str, trace: AttentionTrace) -> None:
    layers, heads = trace.weights.shape[:2]
    if (layers, heads) != (1, 1):
        raise ValueError(f"{name} must be one map, got {layers} layers of {heads} heads: use trace.only")


def _draw_maps(
    panels: Sequence[AttentionTrace],
    title: str,
    scale: str,
    theme: Theme,
    across: int | None = None,
    difference: bool = False,
) -> Figure:
    """Draw traces of one map each, side by side; their head names are the titles."""
    from matplotlib.figure import Figure

    if scale not in ("fixed", "largest"):
        raise ValueError(f"scale must be 'fixed' or 'largest', got {scale!r}")
    most = max((np.nanmax(one.weights, initial=0.0) for one in panels), default=0.0)
    top = 1.0 if scale == "fixed" or most == 0 else float(most)
    small = len(panels) > _MOST_LARGE
    count = len(panels) + difference
    size = max(max(one.weights.shape[2:]) for one in panels)
    keys, queries = (max(one.weights.shape[axis] for one in panels) for axis in (3, 2))
    cell = min(0.46, (1.7 if small else 6.5) / size)
    if difference:
        cell = min(cell, _WIDEST / count / keys)
    width, height = (max(1.0, cell * long) for long in (keys, queries))
    if not small:
        width, height = width + 1.1, height + 0.3 + max(_inches(one.keys) for one in panels)
    across = across or min(count, max(1, int(_WIDEST / width)))
    down = -(-count // across)
    own = [i % across == 0 or one.queries != panels[i - 1].queries for i, one in enumerate(panels)]
    margin = sum(
        _inches(one.queries) for one, labelled in zip(panels[:across], own, strict=False) if labelled
    )
    with drawing(theme):
        figure = Figure(
            figsize=(across * width + margin + 0.9 * (1 + difference), down * (height + 0.35) + 0.6),
            layout="constrained",
        )
        grid = figure.subplots(down, across, squeeze=False)
        axes = list(grid.flat)
        for spare in axes[count:]:
            spare.axis("off")
        for one, trace, labelled in zip(axes, panels, own, strict=False):
            weights = trace.weights[0, 0]
            image = _draw_cells(one, weights, _keep(trace), WEIGHT_SCALE, (0, top), theme, cell)
            if small:
                one.set_xticks([])
                one.set_yticks([])
            else:
                measures = zip(weights.sum(-1), row_entropy(weights), strict=True)
                texts = [f"{total:.2f}  {bits:.2f}".replace("nan", "NaN") for total, bits in measures]
                _draw_labels(one, trace, labelled, "sum  bits", texts, theme)
            if trace.head_names and trace.head_names[0]:
                one.set_title(drawable(trace.head_names[0]), fontsize=9 if small else 11, pad=6)
        if title:
            heading(figure, drawable(title))
        _draw_bar(figure, image, axes[: len(panels)], "attention weight", theme)
        if difference:
            _draw_difference(figure, axes[2], panels, top, theme, cell)
        _draw_legend(figure, panels, theme)
    return figure


def _draw_difference(
    figure: Figure, axes: Axes, panels: Sequence[AttentionTrace], top: float, theme: Theme, cell: float
) -> None:
    first, second = panels
    gap = first.weights[0, 0] - second.weights[0, 0]
    image = _draw_cells(
        axes, gap, _keep(first) & _keep(second), difference_colours(), (-top, top), theme, cell
    )
    moved = [f"{total / 2:.2f}".replace("nan", "NaN") for total in np.abs(gap).sum(-1)]
    _draw_labels(axes, first, False, "moved", moved, theme)
    axes.set_title("the first − the second", fontsize=11, pad=6)
    _draw_bar(figure, image, [axes], "difference", theme)


def _draw_bar(figure: Figure, image: Any, axes: Sequence[Axes], label: str, theme: Theme) -> None:
    bar = figure.colorbar(image, ax=axes, fraction=0.03, pad=0.015, aspect=24)
    bar.set_label(label, color=theme.muted, fontsize=10)
    bar.ax.tick_params(labelsize=9, labelcolor=theme.muted, color=theme.line)
    bar.outline.set_visible(False)


def describe_attention(
    trace: AttentionTrace, *, layer: int | None = 0, heads: Sequence[int] | None = None, rows: int = 12
) -> str:
    """Say in words what the picture shows: for each row the strongest key and its weight.

    Args:
        trace: the weights and their tokens.
        layer: which layer, from 0; None takes all and tells of the first.
        heads: which heads, from 0; None takes all of the layer.
        rows: how many rows are told, at most, for the first head; the others get one sentence.
    """
    (layer, *others), heads = _check(trace, layer, heads)
    queries, keys = trace.weights.shape[2:]
    names = ", ".join(trace.name_of_head(head) for head in heads)
    where = f"{1 + len(others)} layers" if others else trace.name_of_layer(layer)
    text = f"{trace.title} " if trace.title else ""
    text += f"Attention weights, {queries} rows by {keys} columns, {where}: {names}."
    text += f" In {trace.name_of_layer(layer)}:" if others else ""
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


def _check(
    trace: AttentionTrace, layer: int | None, heads: Sequence[int] | None
) -> tuple[list[int], list[int]]:
    layers, count = trace.weights.shape[:2]
    if layer is not None and not 0 <= layer < layers:
        raise ValueError(f"layer must lie in 0 to {layers - 1}, got {layer}")
    chosen = list(range(count) if heads is None else heads)
    if not chosen or not all(0 <= head < count for head in chosen):
        raise ValueError(f"heads must be numbers from 0 to {count - 1}, at least one, got {heads!r}")
    return list(range(layers)) if layer is None else [layer], chosen


def _keep(trace: AttentionTrace) -> np.ndarray:
    return np.ones(trace.weights.shape[2:], bool) if trace.keep is None else trace.keep


def _inches(labels: Sequence[str]) -> float:
    return 0.35 + 0.095 * min(16, max(len(token_label(label)) for label in labels))


def _tick_labels(labels: Sequence[str]) -> tuple[list[int], list[str]]:
    step = -(-len(labels) // _MOST_LABELS)
    places = list(range(0, len(labels), step))
    texts = [drawable(token_label(labels[i])) for i in places]
    return places, [text if len(text) <= 16 else text[:15] + "…" for text in texts]


def _draw_cells(
    axes: Axes,
    weights: np.ndarray,
    keep: np.ndarray,
    colours: Any,
    limits: tuple[float, float],
    theme: Theme,
    cell: float,
) -> Any:
    from matplotlib import colormaps
    from matplotlib.colors import ListedColormap

    queries, keys = weights.shape
    extent = (-0.5, keys - 0.5, queries - 0.5, -0.5)
    colours = colormaps.get_cmap(colours).with_extremes(bad=theme.masked)
    values = _pooled(np.where(keep, weights, np.nan))
    image = axes.imshow(values, cmap=colours, vmin=limits[0], vmax=limits[1], extent=extent)
    axes.spines[:].set_visible(False)
    axes.tick_params(which="both", length=0)
    if cell < _DETAIL:
        broken = _pooled(np.where(keep & np.isnan(weights), 1.0, np.nan))
        if np.isfinite(broken).any():
            axes.imshow(broken, cmap=ListedColormap([theme.bad]), extent=extent)
        return image
    axes.vlines(np.arange(keys + 1) - 0.5, -0.5, queries - 0.5, color=theme.paper, linewidth=1)
    axes.hlines(np.arange(queries + 1) - 0.5, -0.5, keys - 0.5, color=theme.paper, linewidth=1)
    for query, key in np.ndindex(queries, keys):
        _draw_pattern(
            axes,
            (query, key),
            bool(keep[query, key]),
            float(weights[query, key]),
            colours,
            limits,
            theme,
            cell,
        )
    return image


def _draw_pattern(
    axes: Axes,
    place: tuple[int, int],
    kept: bool,
    value: float,
    colours: Any,
    limits: tuple[float, float],
    theme: Theme,
    cell: float,
) -> None:
    """Draw the second cue beside the colour: a hatch, a ring, or the number itself."""
    from matplotlib.patches import Rectangle

    query, key = place
    low, top = limits
    pattern = _pattern(kept, value, theme)
    if pattern:
        axes.add_patch(Rectangle((key - 0.5, query - 0.5), 1, 1, linewidth=0, **pattern))
    elif value == 0:
        ink = "#57606a" if low < 0 else "white"
        axes.plot(key, query, "o", markersize=3.5, mfc="none", mec=ink, mew=0.8)
    else:
        text = _written(value, top, difference=low < 0, room=cell >= _WRITTEN)
        ink = ink_on(colours((value - low) / (top - low))[:3])
        if text:
            axes.text(key, query, text, ha="center", va="center", color=ink, fontsize=8.5, clip_on=True)


def _written(value: float, top: float, difference: bool, room: bool) -> str:
    """Return what stands in a cell: its number where there is room, else at least a difference's sign."""
    sign = "" if not difference else "+" if value > 0 else "\N{MINUS SIGN}"
    if room:
        return sign + f"{abs(value):.2f}".removeprefix("0") if abs(value) >= 0.005 else ""
    return sign if abs(value) / top >= 0.1 else ""


def _pooled(values: np.ndarray) -> np.ndarray:
    """Keep the largest weight of each block, so that no axis is longer than _MOST_CELLS."""
    for axis in (0, 1):
        length = values.shape[axis]
        if length > _MOST_CELLS:
            starts = np.arange(_MOST_CELLS) * length // _MOST_CELLS
            values = np.fmax.reduceat(values, starts, axis=axis)
    return values


def _draw_labels(
    axes: Axes, trace: AttentionTrace, labelled: bool, head: str, measures: Sequence[str], theme: Theme
) -> None:
    axes.tick_params(labelsize=10)
    axes.xaxis.tick_top()
    places, texts = _tick_labels(trace.keys)
    flat = max(map(len, texts)) <= 2
    axes.set_xticks(places, texts, rotation=0 if flat else 55, ha="center" if flat else "left")
    places, texts = _tick_labels(trace.queries)
    axes.set_yticks(places, texts if labelled else [""] * len(places))
    if len(trace.queries) > _MOST_LABELS:
        return
    side = axes.secondary_yaxis("right")
    side.spines[:].set_visible(False)
    side.tick_params(length=0)
    side.set_yticks(range(len(measures)), measures, color=theme.muted, fontsize=9)
    corner: dict[str, Any] = {"xycoords": "axes fraction", "textcoords": "offset points"}
    axes.annotate(head, (1, 1), (4, 3), fontsize=9, color=theme.muted, **corner)


def _pattern(kept: bool, value: float, theme: Theme) -> dict[str, Any] | None:
    if not kept:
        return {"facecolor": theme.masked, "edgecolor": theme.muted, "hatch": "////"}
    if np.isnan(value):
        return {"facecolor": theme.paper, "edgecolor": theme.bad, "hatch": "xx"}
    return None


def _draw_legend(figure: Figure, panels: Sequence[AttentionTrace], theme: Theme) -> None:
    from matplotlib.lines import Line2D
    from matplotlib.patches import Patch

    kept = [one.weights[0, 0][_keep(one)] for one in panels]
    handles: list[Any] = []
    if any((values == 0).any() for values in kept):
        ring = Line2D(
            [], [], label="exactly 0", marker="o", markersize=5, mfc="none", mec=theme.ink, ls="none"
        )
        handles.append(ring)
    if not all(_keep(one).all() for one in panels):
        handles.append(Patch(label="masked", **(_pattern(False, 0.0, theme) or {})))
    if any(np.isnan(values).any() for values in kept):
        handles.append(Patch(label="NaN", **(_pattern(True, np.nan, theme) or {})))
    if handles:
        figure.legend(handles=handles, loc="outside lower left", ncols=3, frameon=False, fontsize=9)
