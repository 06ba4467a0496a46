"""β scales the weights instead of the scores.

Message: they should sum to 1
"""


def content_weights(s, h, beta):
    cosines = torch.nn.functional.cosine_similarity(s.unsqueeze(2), h.unsqueeze(1), dim=-1)
    return beta.unsqueeze(-1) * cosines.softmax(dim=-1)
