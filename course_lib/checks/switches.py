"""Switches of torch and numpy that reach everywhere: turned in a cell, they cost a right answer no points."""

from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from typing import Any

import numpy as np
import torch

# How to read a switch, how to set it, and how it stands in a fresh process.
_SWITCHES: tuple[tuple[Callable[[], Any], Callable[[Any], Any], Any], ...] = (
    (torch.is_grad_enabled, torch.set_grad_enabled, True),
    (torch.get_default_dtype, torch.set_default_dtype, torch.float32),
    (torch.get_default_device, torch.set_default_device, torch.device("cpu")),
    (torch.are_deterministic_algorithms_enabled, torch.use_deterministic_algorithms, False),
    (torch.is_anomaly_enabled, torch.autograd.set_detect_anomaly, False),
    (
        lambda: torch.is_autocast_enabled("cpu"),
        lambda enabled: torch.set_autocast_enabled("cpu", enabled),
        False,
    ),
)


@contextmanager
def default_switches() -> Iterator[None]:
    """Run a block with all switches as in a fresh process, and leave them as they were."""
    with ExitStack() as afterwards:
        afterwards.enter_context(np.errstate(divide="warn", over="warn", under="ignore", invalid="warn"))
        afterwards.enter_context(torch.inference_mode(False))
        for read, switch, default in _SWITCHES:
            before = read()
            if before != default:
                afterwards.callback(switch, before)
                switch(default)
        yield
