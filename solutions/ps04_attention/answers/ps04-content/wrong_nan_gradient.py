"""NaN is put right in the weights, and stays in the gradient.

Message: is NaN or infinite
"""


def content_weights(s, h, beta):
    s = (s / s.square().sum(dim=-1, keepdim=True).sqrt()).nan_to_num()
    h = (h / h.square().sum(dim=-1, keepdim=True).sqrt()).nan_to_num()
    return (beta.unsqueeze(-1) * (s @ h.transpose(1, 2))).softmax(dim=-1)
