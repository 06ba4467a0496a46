"""Written one sequence and one unit at a time."""


def gru_step(x, h, W, U, b, d, reset_before):
    size = h.shape[1]
    rows = []
    for now, old in zip(x, h, strict=True):
        r = torch.stack([torch.sigmoid(W[k] @ now + b[k] + U[k] @ old + d[k]) for k in range(size)])
        row = []
        for k in range(size):
            z = torch.sigmoid(W[size + k] @ now + b[size + k] + U[size + k] @ old + d[size + k])
            last = 2 * size + k
            past = U[last] @ (r * old) + d[last] if reset_before else r[k] * (U[last] @ old + d[last])
            row.append(z * old[k] + (1 - z) * torch.tanh(W[last] @ now + b[last] + past))
        rows.append(torch.stack(row))
    return torch.stack(rows)
