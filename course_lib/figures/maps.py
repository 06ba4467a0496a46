"""Pictures, and what networks make of them, side by side: maps, sampling places, cubes of shared numbers."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from course_lib.figures.picture import Picture
from course_lib.figures.theme import MARKERS, OKABE_ITO, difference_colours, drawable, drawing


def maps_picture(
    maps: Mapping[str, Any],
    title: str,
    alt: str,
    *,
    signed: bool = False,
    marks: Mapping[str, Any] | None = None,
    columns: int = 6,
) -> Picture:
    """Draw maps side by side, each with its name.

    Args:
        maps: name -> (height, width) numbers.
        title: the answer that the maps give.
        alt: what a sighted reader takes away.
        signed: colours tell below 0 (purple) from above (green), each map by its own largest; else each is
            grey from its lowest (black) to its highest (white).
        marks: name -> (places, 2) of (y, x), drawn as crosses on that map.
        columns: maps in a row.
    """
    from matplotlib.figure import Figure

    rows = -(-len(maps) // columns)
    across = min(columns, len(maps))
    with drawing():
        figure = Figure(figsize=(1.9 * across, 2.1 * rows + 0.4), layout="constrained")
        grid = figure.subplots(rows, across, squeeze=False)
        for axes in grid.flat:
            axes.set_axis_off()
        for axes, (name, values) in zip(grid.flat, maps.items(), strict=False):
            values = np.asarray(values)
            if signed:
                limit = np.abs(values).max() or 1
                axes.imshow(values, cmap=difference_colours(), vmin=-limit, vmax=limit)
            else:
                axes.imshow(values, cmap="gray")
            axes.set_title(name, fontsize=10, fontweight="normal", loc="center")
            if marks and name in marks:
                y, x = np.asarray(marks[name]).T
                axes.scatter(x, y, marker="x", color=OKABE_ITO[1], s=16, linewidths=1.4)
        figure.suptitle(title, fontweight="bold", x=0.01, ha="left")
        return Picture.of(figure, alt)


def sampling_picture(image: Any, places: Mapping[str, Any], title: str, alt: str) -> Picture:
    """Draw where outputs look, on the picture that they look at; lines lead from the first kind to others.

    Args:
        image: (height, width) numbers.
        places: name -> (points, 2) of (y, x) in pixels, as many points in each.
        title: the answer that the picture gives.
        alt: what a sighted reader takes away.
    """
    from matplotlib.figure import Figure

    with drawing():
        figure = Figure(figsize=(6.4, 6), layout="constrained")
        axes = figure.subplots()
        axes.imshow(image, cmap="gray", vmin=0)
        start, *others = (np.asarray(points) for points in places.values())
        for points in others:
            for (y, x), (to_y, to_x) in zip(start, points, strict=True):
                axes.plot([x, to_x], [y, to_y], color=OKABE_ITO[4], linewidth=0.8)
        for i, (name, points) in enumerate(places.items()):
            y, x = np.asarray(points).T
            axes.scatter(
                x,
                y,
                s=22,
                color=OKABE_ITO[(2, 1)[i % 2]],
                marker=MARKERS[i],
                edgecolors="black",
                linewidths=0.5,
                zorder=3,
                label=name,
            )
        axes.set(xlabel="x (pixels)", ylabel="y (pixels)")
        axes.set_title(title)
        figure.legend(loc="outside lower center", ncols=2, frameon=False)
        return Picture.of(figure, alt)


def cubes_picture(cubes: Mapping[str, Any], title: str, alt: str) -> Picture:
    """Draw one cube of pictures × channels × places for each name; the marked numbers stand out.

    Args:
        cubes: name -> (pictures, channels, places) booleans.
        title: the answer that the cubes give.
        alt: what a sighted reader takes away.
    """
    from matplotlib.figure import Figure

    with drawing():
        figure = Figure(figsize=(2.9 * len(cubes), 3.6), layout="constrained")
        for i, (name, marked) in enumerate(cubes.items(), start=1):
            axes: Any = figure.add_subplot(1, len(cubes), i, projection="3d")
            colours = np.where(np.asarray(marked), OKABE_ITO[0], "#ffffff")
            axes.voxels(np.ones(colours.shape, bool), facecolors=colours, edgecolor="#57606a", linewidth=0.4)
            axes.set(xlabel="pictures", ylabel="channels", zlabel="places", xticks=[], yticks=[], zticks=[])
            axes.set_title(name, loc="center")
            axes.view_init(elev=24, azim=-128)
        figure.suptitle(title, fontweight="bold", x=0.01, ha="left")
        return Picture.of(figure, alt)


def strips_picture(strips: Mapping[str, Any], title: str, alt: str) -> Picture:
    """Draw wide pictures, such as lines of a page, one below the other, each under its name.

    Args:
        strips: name -> (height, width) ink, 0 is paper.
        title: what is shown.
        alt: what a sighted reader takes away.
    """
    from matplotlib.figure import Figure

    with drawing():
        figure = Figure(figsize=(10, 1.25 * len(strips) + 0.4), layout="constrained")
        for axes, (name, values) in zip(
            figure.subplots(len(strips), 1, squeeze=False)[:, 0], strips.items(), strict=True
        ):
            axes.set_axis_off()
            axes.imshow(np.asarray(values), cmap="gray_r")
            axes.set_title(drawable(name), fontsize=11, fontweight="normal")
        figure.suptitle(title, fontweight="bold", x=0.01, ha="left")
        return Picture.of(figure, alt)
