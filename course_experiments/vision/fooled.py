"""Fool networks that read digits, by one step of the gradient's sign; then train one against it.

As in Goodfellow, Shlens and Szegedy 2015, sections 4 to 6, on 8,000 digits in place of 60,000, and with a
small network of convolutions in place of maxout.
"""

from collections.abc import Callable
from functools import partial
from statistics import fmean, stdev

import torch
from jaxtyping import Float, Int
from torch import Tensor, nn
from torch.nn import functional

from course_experiments.protocol import Budget, Experiment, Outcome
from course_experiments.results import Measurement
from course_lib.checkpoints import save_checkpoint
from course_lib.data import load_mnist
from course_lib.training.loop import train_steps
from course_lib.vision.fooling import adversarial_loss, fast_gradient_sign, iterated_gradient_sign
from course_lib.vision.global_pooling import GlobalPoolingNetwork
from course_lib.vision.pixels import to_pixels

CHANNELS, KINDS = (16, 32, 64), 10
PASSES, BATCH, SEEDS = 6, 50, 3
EPSILON = 0.25  # the paper's
TRIED = (0.0, 0.05, 0.1, EPSILON)
PAPER = "Goodfellow et al. 2015, section "
OTHERS = "; 60,000 training digits"
# Error and confidence in % at ε = .25, and where they stand.
PUBLISHED = {
    "softmax": (99.9, 79.3, f"{PAPER}4{OTHERS}"),
    "convolutions": (89.4, 97.6, f"{PAPER}4, maxout{OTHERS}"),
    "adversarial": (17.9, None, f"{PAPER}6, maxout{OTHERS}"),
}
CHECKPOINTS = {"convolutions": "digits.safetensors", "adversarial": "digits_adversarial.safetensors"}

Loss = Callable[[nn.Module, Tensor, Tensor], Tensor]


def digits(part: str) -> tuple[Float[Tensor, "pictures 1 28 28"], Int[Tensor, "pictures"]]:
    """Return pixels and labels of a part, "train" or "test"."""
    found = getattr(load_mnist(), part)
    return to_pixels(found.images), torch.tensor(found.labels)


def softmax_regression() -> nn.Module:
    """Return one linear layer on the pixels."""
    return nn.Sequential(nn.Flatten(), nn.Linear(28 * 28, KINDS))


def convolutions() -> GlobalPoolingNetwork:
    """Return three convolutions and a linear layer on the means of their maps."""
    return GlobalPoolingNetwork(CHANNELS, KINDS)


def clean_loss(network: nn.Module, pixels: Tensor, labels: Tensor) -> Tensor:
    """Return the cross-entropy on the pictures as they are."""
    return functional.cross_entropy(network(pixels), labels)


def hardened_loss(network: nn.Module, pixels: Tensor, labels: Tensor) -> Tensor:
    """Return the loss of adversarial training, with the paper's ε."""
    return adversarial_loss(network, pixels, labels, EPSILON)


NETWORKS: dict[str, tuple[Callable[[], nn.Module], Loss, float]] = {
    "softmax": (softmax_regression, clean_loss, 1e-2),
    "convolutions": (convolutions, clean_loss, 4e-3),
    "adversarial": (convolutions, hardened_loss, 4e-3),
}


def learn(which: str, seed: int, passes: int = PASSES) -> nn.Module:
    """Return a network after training, ready to predict.

    Args:
        which: one of `NETWORKS`.
        seed: of its first weights and of the order of the digits.
        passes: over the training digits.
    """
    make, loss, rate = NETWORKS[which]
    torch.manual_seed(seed)
    network = make()
    pixels, labels = digits("train")
    orders = [torch.randperm(len(labels)) for _ in range(passes)]
    batches = [batch for order in orders for batch in order.split(BATCH)]
    optimizer = torch.optim.Adam(network.parameters(), rate)
    scheduler = torch.optim.lr_scheduler.LinearLR(optimizer, 1.0, 0.02, len(batches))
    losses = (loss(network, pixels[batch], labels[batch]) for batch in batches)
    for _ in train_steps(losses, optimizer, scheduler=scheduler):
        pass
    return network.eval()


@torch.no_grad()
def error_and_confidence(
    network: nn.Module, pixels: Float[Tensor, "pictures 1 28 28"], labels: Int[Tensor, "pictures"]
) -> tuple[float, float]:
    """Return how many are named wrong, in %, and how sure the network is of what it says of these, in %."""
    sure, said = network(pixels).softmax(dim=1).max(dim=1)
    wrong = said != labels
    return 100 * wrong.double().mean().item(), 100 * sure[wrong].double().mean().item()


def run(which: str, budget: Budget) -> Outcome:
    """Train three networks of a kind and attack them on all test digits."""
    pixels, labels = digits("test")
    networks = [learn(which, seed) for seed in range(SEEDS)]
    error, confidence, source = PUBLISHED[which]
    found = []
    for epsilon in TRIED:
        attacked = [fast_gradient_sign(network, pixels, labels, epsilon) for network in networks]
        rates = [error_and_confidence(*pair, labels) for pair in zip(networks, attacked, strict=True)]
        printed = (error, confidence) if epsilon == EPSILON else (None, None)
        for what, values, theirs in zip(
            ("error", "confidence"), zip(*rates, strict=True), printed, strict=True
        ):
            name = f"fooled-{which}-{what}-{100 * epsilon:.0f}"
            told = f"{which}, gradient sign with ε = {epsilon:g}: {what} in % on 2,000 test digits"
            found.append(
                Measurement(
                    name, "fooled", told, fmean(values), stdev(values), theirs, source if theirs else ""
                )
            )
    if which not in CHECKPOINTS:
        return Outcome(found)
    errors = [
        error_and_confidence(network, iterated_gradient_sign(network, pixels, labels, EPSILON), labels)[0]
        for network in networks
    ]
    told = f"{which}, ten steps within ε = {EPSILON:g}: error in % on 2,000 test digits"
    found.append(Measurement(f"fooled-{which}-steps-25", "fooled", told, fmean(errors), stdev(errors)))
    checkpoint = budget.folder / CHECKPOINTS[which]
    save_checkpoint(checkpoint, networks[0], {"channels": CHANNELS, "classes": KINDS}, int8=True)
    return Outcome(found, [checkpoint])


EXPERIMENTS = [
    Experiment("digits_softmax", "digits read by one linear layer, and fooled", 1, partial(run, "softmax")),
    Experiment(
        "digits",
        "digits read by three convolutions, and fooled",
        2,
        partial(run, "convolutions"),
        (CHECKPOINTS["convolutions"],),
    ),
    Experiment(
        "digits_adversarial",
        "the same, trained against what fools it",
        4,
        partial(run, "adversarial"),
        (CHECKPOINTS["adversarial"],),
    ),
]
