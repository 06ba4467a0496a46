"""β is squared on its way into the rows of least squares.

Message: β is squared
"""


def train_readout(features, targets, beta):
    size = features.shape[1]
    extra = torch.eye(size, dtype=features.dtype)[1:] * beta
    zeros = torch.zeros(size - 1, targets.shape[1], dtype=targets.dtype)
    return torch.linalg.lstsq(torch.cat([features, extra]), torch.cat([targets, zeros])).solution.T
