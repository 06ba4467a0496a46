"""Scenes: small pictures set on a larger, black canvas, so that it is known where each thing lies."""

from dataclasses import dataclass

import numpy as np

from course_lib.data.labelled_pictures import LabelledPictures

CELLS, ROOM = 3, 4  # a grid of 3×3 cells, each with room for its picture to be moved by up to 4 pixels


@dataclass(frozen=True, eq=False)
class Scenes:
    """Canvases with a few things on each, no two of them of one kind."""

    images: np.ndarray  # (scenes, side, side) uint8
    labels: np.ndarray  # (scenes, things) int
    corners: np.ndarray  # (scenes, things, 2) int, (y, x) of each thing's first pixel
    size: int  # pixels along a side of a thing's box


def make_scenes(
    pictures: LabelledPictures, count: int, things: int, generator: np.random.Generator
) -> Scenes:
    """Set pictures at random places.

    Args:
        pictures: grey and square; they may be used several times.
        count: scenes.
        things: on each scene, of different kinds; at most 9, and at most as many as there are kinds.
        generator: draws kinds, pictures and places.

    Raises:
        ValueError: more things than places or kinds.
    """
    kinds = int(pictures.labels.max()) + 1
    if not 1 <= things <= min(CELLS**2, kinds):
        raise ValueError(f"things must be 1 to {min(CELLS**2, kinds)}, got {things}")
    labels = np.stack([generator.permutation(kinds)[:things] for _ in range(count)])
    return set_scenes(pictures, labels, generator)


def set_scenes(
    pictures: LabelledPictures, labels: np.ndarray, generator: np.random.Generator, cells: int = CELLS
) -> Scenes:
    """Set pictures of chosen kinds at random places.

    Args:
        pictures: grey and square; they may be used several times.
        labels: (scenes, things) which kinds are on each scene.
        generator: draws pictures and places.
        cells: along a side of the canvas; in each there is room for one thing.

    Raises:
        ValueError: more things than cells.
    """
    count, things = labels.shape
    if things > cells**2:
        raise ValueError(f"labels name {things} things a scene; {cells}×{cells} cells hold {cells**2}")
    size = pictures.images.shape[1]
    cell = size + ROOM
    of_kind = {int(kind): np.flatnonzero(pictures.labels == kind) for kind in np.unique(labels)}
    images = np.zeros((count, cells * cell, cells * cell), np.uint8)
    taken = np.stack([generator.permutation(cells**2)[:things] for _ in range(count)])
    corners = np.stack(np.divmod(taken, cells), axis=-1) * cell
    corners += generator.integers(0, ROOM + 1, corners.shape)
    for image, its_labels, its_corners in zip(images, labels, corners, strict=True):
        for label, (y, x) in zip(its_labels, its_corners, strict=True):
            chosen = generator.choice(of_kind[int(label)])
            image[y : y + size, x : x + size] = pictures.images[chosen]
    return Scenes(images, labels, corners, size)
