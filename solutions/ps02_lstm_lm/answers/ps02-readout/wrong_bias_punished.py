"""The lecture's ridge regression, with a bias that is punished.

Message: The bias is punished, too
"""


def train_readout(features, targets, beta):
    eye = torch.eye(features.shape[1], dtype=features.dtype)
    return torch.linalg.solve(features.T @ features + beta * eye, features.T @ targets).T
