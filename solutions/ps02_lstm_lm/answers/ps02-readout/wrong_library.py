"""The library's ridge regression is called.

Message: your answer calls course_lib.reservoir
"""

from course_lib.reservoir.readout import ridge


def train_readout(features, targets, beta):
    return torch.tensor(ridge(features.numpy(), targets.numpy(), beta), dtype=features.dtype)
