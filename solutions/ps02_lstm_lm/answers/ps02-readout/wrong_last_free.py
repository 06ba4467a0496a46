"""The last weight goes free, not the first.

Message: The last weight goes unpunished
"""


def train_readout(features, targets, beta):
    D = torch.eye(features.shape[1], dtype=features.dtype)
    D[-1, -1] = 0
    return torch.linalg.solve(features.T @ features + beta * D, features.T @ targets).T
