"""Binary networks on clothes beside the float network of the same shape."""

from collections.abc import Sequence
from functools import partial

from course_experiments.protocol import PAUSED, Budget, Experiment, Outcome, over_seeds, sweep
from course_experiments.results import Measurement
from course_experiments.vision.classifying import SEEDS, Found, try_rates
from course_lib.vision.binary_networks import KINDS, binary_network, weight_bytes

SOURCE = "Rastegari et al. 2016, AlexNet on ImageNet, top-1: "
PUBLISHED = {
    "float": (56.6, SOURCE + "table 1"),
    "binary weights": (56.8, SOURCE + "table 1"),
    "XNOR": (44.2, SOURCE + "table 3, B-A-C-P"),
    "XNOR, usual order": (30.3, SOURCE + "table 3, C-B-A-P"),
}


def kind_id(kind: str) -> str:
    """Return what a kind is called in the register."""
    return kind.lower().replace(",", "").replace(" ", "-")


def try_kind(kind: str, seed: int, earlier: Sequence[Found]) -> Found:
    """Return what a kind of network names right, trained with the rate that serves it better."""
    return try_rates(partial(binary_network, kind), seed, earlier)


def binary(budget: Budget) -> Outcome:
    """Train every kind with three seeds."""
    jobs = [(kind, seed) for kind in KINDS for seed in SEEDS]
    found = sweep(budget, jobs, try_kind)
    if found is None:
        return PAUSED
    measurements = []
    for kind, runs in found.items():
        value, source = PUBLISHED[kind]
        mean = over_seeds(
            f"binary-{kind_id(kind)}",
            "binary",
            f"{kind}: % of test clothes named right",
            [run["test"] for run in runs],
        )
        measurements.append(
            Measurement(mean.id, mean.experiment, mean.metric, mean.value, mean.spread, value, source)
        )
    reals, bits = weight_bytes(binary_network("XNOR"))
    metric = "binary 3×3 weights with their scales: how many times smaller than 32-bit numbers"
    source = "Rastegari et al. 2016, figure 1: about 32×"
    measurements.append(Measurement("binary-memory", "binary", metric, reals / bits, None, 32, source))
    return Outcome(measurements)


EXPERIMENTS = [Experiment("binary", "binary weights, XNOR, and the order of a block", 4, binary)]
