"""The current decoder state asks, instead of the previous one.

Message: Bahdanau asks with the previous one
"""


def additive_scores(states, h, W, U, v):
    queries = states[:, 1:] @ W.T
    return torch.tanh(queries.unsqueeze(2) + (h @ U.T).unsqueeze(1)) @ v
