"""Plain least squares.

Message: β has no influence
"""


def train_readout(features, targets, beta):
    return torch.linalg.lstsq(features, targets).solution.T
