"""β is added to every entry of the matrix.

Message: `+ beta` adds β to every entry
"""


def train_readout(features, targets, beta):
    return torch.linalg.solve(features.T @ features + beta, features.T @ targets).T
