"""Pictures as numbers that a gradient may change: pixels from 0 to 1."""

import numpy as np
import torch
from jaxtyping import Float
from torch import Tensor


def to_pixels(images: np.ndarray) -> Float[Tensor, "pictures channels height width"]:
    """Return stored pictures as tensors.

    Args:
        images: (pictures, height, width) in grey or (pictures, height, width, 3) in colour, uint8.

    Raises:
        ValueError: not uint8, or of another shape.
    """
    colour = images.ndim == 4 and images.shape[-1] == 3
    if images.dtype != np.uint8 or not (colour or images.ndim == 3):
        raise ValueError(
            "images must be uint8 of shape (pictures, height, width) or (pictures, height, width, 3), "
            f"got {images.dtype} of shape {images.shape}"
        )
    channels_first = images.transpose(0, 3, 1, 2) if colour else images[:, None]
    return torch.tensor(np.ascontiguousarray(channels_first)).float() / 255


def to_images(pixels: Float[Tensor, "pictures channels height width"]) -> np.ndarray:
    """Return pixels as pictures to show, (pictures, height, width, 3) uint8; grey has three equal colours.

    Args:
        pixels: grey or in colour, 0 to 1.

    Raises:
        ValueError: pictures of another range.
    """
    check_pixels(pixels)
    colours = (255 * pixels).round().byte().expand(-1, 3, -1, -1)
    return colours.permute(0, 2, 3, 1).numpy(force=True)


def check_pixels(pixels: Tensor, channels: int | None = None) -> None:
    """Make sure that a network or an attack is given pictures.

    Args:
        pixels: what came.
        channels: how many colours there must be; None allows any number.

    Raises:
        ValueError: another shape, another number of channels, or a value outside 0 to 1.
    """
    if pixels.ndim != 4 or (channels is not None and pixels.shape[1] != channels):
        wanted = "channels" if channels is None else channels
        raise ValueError(f"pixels must be (pictures, {wanted}, height, width), got {tuple(pixels.shape)}")
    low, high = pixels.min().item(), pixels.max().item()
    if not (low >= 0 and high <= 1):
        raise ValueError(f"pixels must lie between 0 and 1, got {low:.3g} to {high:.3g}")
