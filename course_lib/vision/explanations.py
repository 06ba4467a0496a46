"""Where a network looks when it says what it sees: data gradients, CAM, Grad-CAM, Grad-CAM++.

    data gradient   w = ∂S_c/∂I                                      Simonyan, Vedaldi and Zisserman 2014
    CAM             M = Σ_k w_ck A_k                                 Zhou et al. 2016
    Grad-CAM        M = ReLU(Σ_k a_k A_k),  a_k = mean_i g_k(i)      Selvaraju et al. 2017
    Grad-CAM++      M = ReLU(Σ_k a_k A_k),  a_k = Σ_i α_k(i) ReLU(g_k(i)),
                    α_k(i) = g_k(i)² / (2 g_k(i)² + Σ_j A_k(j) · g_k(i)³)      Chattopadhyay et al. 2018

S_c is the score of class c before the softmax, A_k a map that a layer leaves, g_k(i) = ∂S_c/∂A_k(i) at place
i. Selvaraju et al. write α_k for a_k. The closed form of α_k(i) is that of an output exp(S_c), whose factor,
the same everywhere, is left out.
"""

from typing import Literal, NamedTuple

import torch
from jaxtyping import Bool, Float, Int
from torch import Tensor, nn
from torch.nn import functional

Method = Literal["CAM", "Grad-CAM", "Grad-CAM++"]


class Watched(NamedTuple):
    """What a layer left, and how each class's score hangs on it."""

    maps: Float[Tensor, "pictures channels rows columns"]
    gradients: Float[Tensor, "pictures channels rows columns"]


def data_gradient(
    network: nn.Module,
    pixels: Float[Tensor, "pictures channels height width"],
    classes: Int[Tensor, "pictures"],
) -> Float[Tensor, "pictures channels height width"]:
    """Return ∂S_c/∂I: near this picture the score of class c grows by w · δ when the pixels change by δ.

    Args:
        network: from pixels to scores; not in training mode.
        pixels: the pictures.
        classes: c, one a picture.

    Raises:
        ValueError: a class that does not exist.
    """
    pixels = pixels.detach().requires_grad_()
    (gradient,) = torch.autograd.grad(_chosen(network(pixels), classes).sum(), pixels)
    return gradient


def saliency(
    gradient: Float[Tensor, "pictures channels rows columns"],
) -> Float[Tensor, "pictures rows columns"]:
    """Return how much each place matters: the largest |w| over the colours."""
    return gradient.abs().amax(dim=1)


def watch(
    network: nn.Module,
    layer: nn.Module,
    pixels: Float[Tensor, "pictures channels height width"],
    classes: Int[Tensor, "pictures"],
) -> Watched:
    """Return a layer's maps and the gradients of the scores by them, caught by a hook.

    Args:
        network: from pixels to scores; not in training mode.
        layer: a part of it that leaves maps.
        pixels, classes: as of `data_gradient`.

    Raises:
        ValueError: a class that does not exist.
    """
    left: list[Tensor] = []

    def keep(_layer: nn.Module, _inputs: object, output: Tensor) -> Tensor:
        left.append(output)
        return output.clone()  # the next layer may change its input in place

    hook = layer.register_forward_hook(keep)
    try:
        with torch.enable_grad():
            scores = network(pixels.detach().requires_grad_())
            (gradients,) = torch.autograd.grad(_chosen(scores, classes).sum(), left[-1])
    finally:
        hook.remove()
    return Watched(left[-1].detach(), gradients)


def cam(
    maps: Float[Tensor, "pictures channels rows columns"], weights: Float[Tensor, "pictures channels"]
) -> Float[Tensor, "pictures rows columns"]:
    """Return Σ_k w_k A_k, both signs kept: its mean over places is the score, but for the bias.

    Args:
        maps: the last ones.
        weights: of each picture's class in the linear layer behind the means.
    """
    return torch.einsum("nkyx,nk->nyx", maps, weights)


def grad_cam(watched: Watched) -> Float[Tensor, "pictures rows columns"]:
    """Return Grad-CAM's map; all 0 where nothing speaks for the class."""
    return cam(watched.maps, watched.gradients.mean(dim=(2, 3))).relu()


def grad_cam_plus_plus(watched: Watched) -> Float[Tensor, "pictures rows columns"]:
    """Return Grad-CAM++'s map; all 0 where nothing speaks for the class."""
    maps, g = watched
    denominators = 2 * g**2 + maps.sum(dim=(2, 3), keepdim=True) * g**3
    alpha = torch.where(denominators == 0, 0.0, g**2 / torch.where(denominators == 0, 1.0, denominators))
    return cam(maps, (alpha * g.relu()).sum(dim=(2, 3))).relu()


def explain(
    network: nn.Module,
    pixels: Float[Tensor, "pictures channels height width"],
    classes: Int[Tensor, "pictures"],
    method: Method = "Grad-CAM",
) -> Float[Tensor, "pictures rows columns"]:
    """Return a map of what speaks for a class, not negative, as coarse as the network's last maps.

    Args:
        network: with `features` and, behind means over places, a linear `classifier`; not in training mode.
        pixels, classes: as of `data_gradient`.
        method: "CAM", "Grad-CAM" or "Grad-CAM++".

    Raises:
        ValueError: a class or a method that does not exist.
    """
    if method not in ("CAM", "Grad-CAM", "Grad-CAM++"):
        raise ValueError(f"method is {method!r}; allowed are 'CAM', 'Grad-CAM' and 'Grad-CAM++'")
    watched = watch(network, network.get_submodule("features"), pixels, classes)
    if method == "CAM":
        weights = network.get_parameter("classifier.weight").detach()
        return cam(watched.maps, weights[classes]).relu()
    return grad_cam(watched) if method == "Grad-CAM" else grad_cam_plus_plus(watched)


def enlarged(
    maps: Float[Tensor, "pictures rows columns"], size: tuple[int, int]
) -> Float[Tensor, "pictures height width"]:
    """Return maps as large as the picture (bilinear), the largest value of each 1; zeros stay zeros."""
    large = functional.interpolate(maps[:, None], size, mode="bilinear", align_corners=False)[:, 0]
    largest = large.amax(dim=(1, 2), keepdim=True)
    return large / torch.where(largest > 0, largest, 1.0)


def points_inside(
    maps: Float[Tensor, "pictures height width"], corners: Int[Tensor, "pictures 2"], size: int
) -> Bool[Tensor, "pictures"]:
    """Return whether each map is largest inside its box: the pointing game of Zhang et al. 2016.

    Args:
        maps: as large as the pictures. One that is 0 everywhere points nowhere, and so not inside.
        corners: (y, x) of each box's first pixel.
        size: of a box, along both axes.
    """
    width = maps.shape[2]
    at = maps.flatten(1).argmax(dim=1)
    place = torch.stack([at // width, at % width], dim=1)
    inside = ((place >= corners) & (place < corners + size)).all(dim=1)
    return inside & (maps.flatten(1).amax(dim=1) > 0)


def _chosen(scores: Tensor, classes: Tensor) -> Tensor:
    """The score of each picture's class."""
    count = scores.shape[1]
    if len(classes) != len(scores) or classes.min() < 0 or classes.max() >= count:
        raise ValueError(
            f"classes must be {len(scores)} numbers from 0 to {count - 1}, one a picture; "
            f"got {classes.tolist()}"
        )
    return scores[torch.arange(len(scores)), classes]
