"""Written with loops: one cosine for every pair."""


def cosine(a, b):
    if not a.any() or not b.any():
        return (a * b).sum()
    return (a * b).sum() / a.norm() / b.norm()


def content_weights(s, h, beta):
    rows = [
        [
            torch.stack([b * cosine(q, k) for k in keys]).softmax(dim=0)
            for q, b in zip(queries, sharp, strict=True)
        ]
        for queries, keys, sharp in zip(s, h, beta, strict=True)
    ]
    return torch.stack([torch.stack(row) for row in rows])
