"""Scores are computed in single precision.

Message: Do not convert the numbers
"""


def additive_scores(states, h, W, U, v):
    states, h, W, U, v = (part.float() for part in (states, h, W, U, v))
    queries = states[:, :-1] @ W.T
    return torch.tanh(queries.unsqueeze(2) + (h @ U.T).unsqueeze(1)) @ v
