"""torch's cosine similarity over all pairs."""


def content_weights(s, h, beta):
    cosines = torch.nn.functional.cosine_similarity(s.unsqueeze(2), h.unsqueeze(1), dim=-1)
    return torch.softmax(cosines * beta[..., None], dim=-1)
