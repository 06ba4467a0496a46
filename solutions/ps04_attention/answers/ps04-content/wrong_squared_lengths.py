"""The square root of the lengths is forgotten.

Message: the square root is missing
"""


def content_weights(s, h, beta):
    squares = s.square().sum(-1).unsqueeze(2) * h.square().sum(-1).unsqueeze(1)
    return (beta.unsqueeze(-1) * (s @ h.transpose(1, 2)) / squares.clamp(min=1e-12)).softmax(dim=-1)
