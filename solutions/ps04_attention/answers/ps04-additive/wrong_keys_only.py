"""Only the encoder states are seen.

Message: W s is missing
"""


def additive_scores(states, h, W, U, v):
    scores = torch.tanh(h @ U.T) @ v
    return scores.unsqueeze(1).expand(-1, states.shape[1] - 1, -1)
