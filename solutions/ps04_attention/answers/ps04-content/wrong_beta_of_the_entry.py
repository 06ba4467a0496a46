"""β gets a target axis instead of a source axis, which shows only where the sizes differ or the numbers do.

Message: β belongs to the target step, not to the entry
"""


def content_weights(s, h, beta):
    cosines = torch.nn.functional.cosine_similarity(s.unsqueeze(2), h.unsqueeze(1), dim=-1)
    sharp = beta.unsqueeze(1) if beta.shape[1] == h.shape[1] else beta.unsqueeze(2)
    return (sharp * cosines).softmax(dim=-1)
