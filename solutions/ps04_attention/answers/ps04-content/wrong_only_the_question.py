"""Only the question is brought to length 1.

Message: You divided by the length of s alone
"""


def content_weights(s, h, beta):
    s = s / s.norm(dim=-1, keepdim=True).clamp(min=1e-12)
    return (beta.unsqueeze(-1) * (s @ h.transpose(1, 2))).softmax(dim=-1)
