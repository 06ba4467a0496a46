"""Written by walking along the line."""


def draw(p, u):
    tokens = []
    for row, number in zip(p.tolist(), u.tolist(), strict=True):
        total, token = 0.0, None
        for k, share in enumerate(row):
            if share > 0:
                token = k
                total += share
                if number < total:
                    break
        tokens.append(token)
    return torch.tensor(tokens)
