"""Written as least squares with rows of weight √β for all features but the first."""


def train_readout(features, targets, beta):
    size = features.shape[1]
    extra = torch.eye(size, dtype=features.dtype)[1:] * math.sqrt(beta)
    zeros = torch.zeros(size - 1, targets.shape[1], dtype=targets.dtype)
    stacked = torch.cat([features, extra]), torch.cat([targets, zeros])
    return torch.linalg.lstsq(*stacked).solution.T
