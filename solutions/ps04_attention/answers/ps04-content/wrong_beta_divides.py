"""β is taken for a temperature.

Message: it is no temperature to divide by
"""


def content_weights(s, h, beta):
    cosines = torch.nn.functional.cosine_similarity(s.unsqueeze(2), h.unsqueeze(1), dim=-1)
    return (cosines / beta.unsqueeze(-1)).softmax(dim=-1)
