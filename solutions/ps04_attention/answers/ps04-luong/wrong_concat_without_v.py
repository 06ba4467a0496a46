"""The hidden layer is summed instead of weighed by v.

Message: The product with v is missing
"""


def luong_scores(states, h, kind, W=None, v=None):
    s = states[:, 1:]
    if kind == "dot":
        return s @ h.transpose(1, 2)
    if kind == "general":
        return s @ W @ h.transpose(1, 2)
    if kind == "concat":
        left = s.unsqueeze(2).expand(-1, -1, h.shape[1], -1)
        right = h.unsqueeze(1).expand(-1, s.shape[1], -1, -1)
        pairs = torch.cat([left, right], dim=-1)
        return torch.tanh(pairs @ W.T).sum(dim=-1)
    raise ValueError(kind)
