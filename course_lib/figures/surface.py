"""A surface over two directions: in a notebook it can be turned, elsewhere it is a picture."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import plotly.graph_objects as go
from plotly.subplots import make_subplots

from course_lib.figures.charts import _plain
from course_lib.figures.display import display_mode, show
from course_lib.figures.picture import Picture
from course_lib.figures.theme import WEIGHT_SCALE, drawing, heading
from course_lib.traces.base import whole_characters


@dataclass(frozen=True)
class Surfaces:
    """Surfaces side by side, all with the same scales.

    Args:
        heights: name -> (down, across) heights over the steps.
        steps: positions along either direction.
        title: the answer that the surfaces give; plain text.
        x_title, y_title, z_title: names of across, down and height, with units; plain text.
        alt: what a sighted reader takes away.

    Raises:
        ValueError: there is no surface, or one has not a height for every pair of steps.
    """

    heights: Mapping[str, Any]
    steps: Sequence[float]
    title: str
    x_title: str
    y_title: str
    z_title: str
    alt: str

    def __post_init__(self) -> None:
        for text in ("title", "x_title", "y_title", "z_title", "alt"):
            object.__setattr__(self, text, whole_characters(getattr(self, text)))
        if not self.heights:
            raise ValueError("heights must hold at least one surface, got none")
        side = len(self.steps)
        for name, heights in self.heights.items():
            if np.shape(heights) != (side, side):
                raise ValueError(f"{name!r} has shape {np.shape(heights)}; the steps ask for {(side, side)}")

    @property
    def limits(self) -> tuple[float, float]:
        """The lowest and the highest of all surfaces."""
        everything = np.stack([np.asarray(heights) for heights in self.heights.values()])
        return float(everything.min()), float(everything.max())

    def plotly(self) -> go.Figure:
        """Draw it with plotly; plotly reads text as HTML, so every name is escaped."""
        low, high = self.limits
        names = [_plain(name) for name in self.heights]
        figure = make_subplots(1, len(names), specs=[[{"type": "scene"}] * len(names)], subplot_titles=names)
        for column, heights in enumerate(self.heights.values(), start=1):
            surface = go.Surface(
                x=list(self.steps),
                y=list(self.steps),
                z=np.asarray(heights).round(4).tolist(),
                colorscale=WEIGHT_SCALE,
                cmin=low,
                cmax=high,
                showscale=column == len(names),
                colorbar={"title": _plain(self.z_title)},
            )
            figure.add_trace(surface, row=1, col=column)
        axes = zip("xyz", (self.x_title, self.y_title, ""), strict=True)  # the colours name the height
        scene: dict[str, Any] = {
            f"{axis}axis": {"title": {"text": _plain(text)}, "tickfont": {"size": 13}, "nticks": 5}
            for axis, text in axes
        }
        scene["zaxis"]["range"] = [min(0.0, low), high]
        scene["camera"] = {"eye": {"x": 1.7, "y": 1.7, "z": 1.0}}  # far enough for the numbers at the rim
        figure.update_scenes(scene)
        return figure.update_layout(
            title=_plain(self.title),
            template="plotly_white",
            height=460,
            width=max(520, 430 * len(names)),
            margin={"t": 90, "r": 10, "b": 10, "l": 10},
        )

    def picture(self) -> Picture:
        """Draw it with matplotlib."""
        from matplotlib.figure import Figure

        low, high = self.limits
        across, down = np.meshgrid(self.steps, self.steps)
        with drawing():
            figure = Figure(figsize=(4.6 * len(self.heights), 4.6), layout="constrained")
            for place, (name, heights) in enumerate(self.heights.items(), start=1):
                axes: Any = figure.add_subplot(1, len(self.heights), place, projection="3d")
                axes.plot_surface(across, down, np.asarray(heights), cmap=WEIGHT_SCALE, vmin=low, vmax=high)
                axes.set(xlabel=self.x_title, ylabel=self.y_title, zlabel=self.z_title)
                axes.set_zlim(min(0.0, low), high)
                axes.set_title(name, loc="center")
            heading(figure, self.title)
            return Picture.of(figure, self.alt)

    def _ipython_display_(self, **_: Any) -> None:
        live = {"application/vnd.plotly.v1+json": self.plotly().to_plotly_json(), "text/plain": self.alt}
        mode = display_mode()
        show(None if mode == "live" else self.picture(), live, mode)
