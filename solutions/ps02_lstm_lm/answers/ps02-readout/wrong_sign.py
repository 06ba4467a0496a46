"""β is subtracted.

Message: β has the wrong sign
"""


def train_readout(features, targets, beta):
    D = torch.eye(features.shape[1], dtype=features.dtype)
    D[0, 0] = 0
    return torch.linalg.solve(features.T @ features - beta * D, features.T @ targets).T
