"""The dot product is divided by √d, as in the Transformer.

Message: A factor 1/√d belongs to the scaled dot product
"""


def luong_scores(states, h, kind, W=None, v=None):
    s = states[:, 1:]
    if kind == "dot":
        return s @ h.transpose(1, 2) / s.shape[-1] ** 0.5
    if kind == "general":
        return s @ W @ h.transpose(1, 2)
    if kind == "concat":
        left = s.unsqueeze(2).expand(-1, -1, h.shape[1], -1)
        right = h.unsqueeze(1).expand(-1, s.shape[1], -1, -1)
        pairs = torch.cat([left, right], dim=-1)
        return torch.tanh(pairs @ W.T) @ v
    raise ValueError(kind)
