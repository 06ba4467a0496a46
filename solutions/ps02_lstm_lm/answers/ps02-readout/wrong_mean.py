"""The squares are averaged, so β counts as often as there are steps.

Message: β weighs the sum over the steps, not their mean
"""


def train_readout(features, targets, beta):
    D = torch.eye(features.shape[1], dtype=features.dtype)
    D[0, 0] = 0
    gram = features.T @ features / len(features) + beta * D
    return torch.linalg.solve(gram, features.T @ targets / len(features)).T
