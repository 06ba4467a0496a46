"""0 / 0 for an entry of zeros.

Message: Its cosine is 0, and 0 / 0 is NaN
"""


def content_weights(s, h, beta):
    s = s / s.norm(dim=-1, keepdim=True)
    h = h / h.norm(dim=-1, keepdim=True)
    return (beta.unsqueeze(-1) * (s @ h.transpose(1, 2))).softmax(dim=-1)
