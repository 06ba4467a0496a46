"""Pictures that fool a network, in units of pixels, which go from 0 to 1.

    fast gradient sign    x' = x + ε · sign(∂J(x, y)/∂x)                     Goodfellow et al. 2015, section 4
    the same in steps     cut to ε around x after each                       Kurakin et al. 2017
    adversarial training  ½ J(x, y) + ½ J(x', y)                             Goodfellow et al. 2015, section 6
    smallest noise        min over r of J(x + r, l) + c ‖r‖, 0 ≤ x + r ≤ 1   after Szegedy et al. 2014

J is the cross-entropy, y the true class and l the class that is wanted.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

import torch
from jaxtyping import Float, Int
from torch import Tensor, nn
from torch.nn import functional

from course_lib.vision.pixels import check_pixels


def fast_gradient_sign(
    network: nn.Module,
    pixels: Float[Tensor, "pictures channels height width"],
    labels: Int[Tensor, "pictures"],
    epsilon: float,
) -> Float[Tensor, "pictures channels height width"]:
    """Return pictures of which no pixel has moved by more than ε, in the direction that raises the loss.

    Args:
        network: from pixels to scores. It is attacked as it predicts: without dropout, and with the running
            statistics of its normalisations; its mode is put back afterwards.
        pixels: 0 to 1; so are those that come back.
        labels: the classes to lead away from.
        epsilon: how far a pixel may move, 0 or more; of 255 grey values it is ε · 255.

    Raises:
        ValueError: ε below 0, pictures of another range, or a class that does not exist.
    """
    _check_epsilon(epsilon)
    check_pixels(pixels)
    moving = pixels.detach().requires_grad_()
    with predicting(network), torch.enable_grad():
        loss = _loss(network(moving), labels, "sum")  # each picture has its own gradient
        (gradient,) = torch.autograd.grad(loss, moving)
    return (pixels + epsilon * gradient.sign()).clamp(0, 1).detach()


def iterated_gradient_sign(
    network: nn.Module,
    pixels: Float[Tensor, "pictures channels height width"],
    labels: Int[Tensor, "pictures"],
    epsilon: float,
    steps: int = 10,
) -> Float[Tensor, "pictures channels height width"]:
    """Return the same in steps of ε/4, each with a gradient of its own: a stronger attack within the same ε.

    Args and Raises: those of `fast_gradient_sign`; steps: how many.
    """
    _check_epsilon(epsilon)
    attacked = pixels
    for _ in range(steps):
        moved = fast_gradient_sign(network, attacked, labels, epsilon / 4)
        attacked = torch.clamp(moved, pixels - epsilon, pixels + epsilon).clamp(0, 1)
    return attacked


def adversarial_loss(
    network: nn.Module,
    pixels: Float[Tensor, "pictures channels height width"],
    labels: Int[Tensor, "pictures"],
    epsilon: float,
) -> Float[Tensor, ""]:
    """Return the loss of adversarial training: half of it on the pictures, half on the same ones attacked.

    Both halves go through the network as one batch, so that a normalisation has one mean for both.
    Args and Raises: those of `fast_gradient_sign`.
    """
    attacked = fast_gradient_sign(network, pixels, labels, epsilon)
    return _loss(network(torch.cat([pixels, attacked])), torch.cat([labels, labels]), "mean")


@dataclass(frozen=True, eq=False)
class Fooled:
    """A picture with the noise that makes it another class."""

    pixels: Float[Tensor, "1 channels height width"]  # with the noise, 0 to 1
    noise: Float[Tensor, "1 channels height width"]
    weight: float  # c
    probability: float  # of the class that was wanted

    @property
    def length(self) -> float:
        """‖r‖₂, in pixels."""
        return self.noise.norm().item()


def smallest_noise(
    network: nn.Module,
    pixels: Float[Tensor, "1 channels height width"],
    wanted: int,
    weights: tuple[float, ...] = (0.1, 0.3, 1.0, 3.0),
    steps: int = 60,
    rate: float = 0.01,
) -> Fooled | None:
    """Return a short noise after which the network says the class that is wanted; None where none was found.

    A large c makes the noise short, and too large a c leaves the class as it was: the shortest noise of all
    that work wins. Szegedy et al. use L-BFGS within the box; here it is Adam, each step cut to the box.

    Args:
        network: from pixels to scores; attacked as it predicts, see `fast_gradient_sign`.
        pixels: one picture, 0 to 1.
        wanted: the number of a class.
        weights: the c to try, rising; the search ends with the first that does not work.
        steps, rate: of Adam, for each c.

    Raises:
        ValueError: pictures of another range, or a class that does not exist.
    """
    check_pixels(pixels)
    label = torch.tensor([wanted])
    best: Fooled | None = None
    for weight in weights:
        changed = pixels.clone().requires_grad_()
        optimizer = torch.optim.Adam([changed], rate)
        shortest: Fooled | None = None
        with predicting(network), torch.enable_grad():
            for _ in range(steps):
                scores = network(changed)
                length = (changed - pixels).norm()
                chances = scores.softmax(dim=1)[0]
                if chances.argmax() == wanted and (shortest is None or length < shortest.length):
                    kept = changed.detach().clone()
                    shortest = Fooled(kept, kept - pixels, weight, chances[wanted].item())
                (changed.grad,) = torch.autograd.grad(_loss(scores, label, "sum") + weight * length, changed)
                optimizer.step()
                with torch.no_grad():
                    changed.clamp_(0, 1)
        if shortest is None:
            break
        best = shortest if best is None or shortest.length < best.length else best
    return best


@contextmanager
def predicting(network: nn.Module) -> Iterator[None]:
    """Switch dropout off and normalisations to their running statistics; put all modes back afterwards."""
    modes = {module: module.training for module in network.modules()}
    network.eval()
    try:
        yield
    finally:
        for module, training in modes.items():
            module.training = training


def _check_epsilon(epsilon: float) -> None:
    if not epsilon >= 0:
        raise ValueError(f"epsilon must be 0 or more, got {epsilon}")


def _loss(scores: Tensor, labels: Tensor, reduction: str) -> Tensor:
    count = scores.shape[1]
    if labels.min() < 0 or labels.max() >= count:
        raise ValueError(f"labels must be classes from 0 to {count - 1}, got {labels.tolist()}")
    return functional.cross_entropy(scores, labels, reduction=reduction)
