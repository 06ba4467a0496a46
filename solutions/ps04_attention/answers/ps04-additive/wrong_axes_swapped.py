"""One row for each source position, instead of each target step.

Message: two axes are swapped
"""


def additive_scores(states, h, W, U, v):
    queries = states[:, :-1] @ W.T
    return torch.tanh(queries.unsqueeze(1) + (h @ U.T).unsqueeze(2)) @ v
