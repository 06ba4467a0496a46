"""Written with loops: one function of two vectors, applied to every pair."""


def luong_scores(states, h, kind, W=None, v=None):
    scores = {
        "dot": lambda s, k: (s * k).sum(),
        "general": lambda s, k: (s[:, None] * W * k).sum(),
        "concat": lambda s, k: (v * torch.tanh((W * torch.cat([s, k])).sum(dim=1))).sum(),
    }
    if kind not in scores:
        raise ValueError(f"no such kind: {kind}")
    rows = [
        [[scores[kind](s, k) for k in keys] for s in queries[1:]]
        for queries, keys in zip(states, h, strict=True)
    ]
    return torch.stack([torch.stack([torch.stack(row) for row in sentence]) for sentence in rows])
