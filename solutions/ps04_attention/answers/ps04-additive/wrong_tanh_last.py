"""The tanh is taken of the score, not of the hidden layer.

Message: The tanh comes before the product with v
"""


def additive_scores(states, h, W, U, v):
    queries = states[:, :-1] @ W.T
    return torch.tanh((queries.unsqueeze(2) + (h @ U.T).unsqueeze(1)) @ v)
