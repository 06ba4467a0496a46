"""Written with loops: one score at a time, as in the equation."""


def additive_scores(states, h, W, U, v):
    batch, target, source = states.shape[0], states.shape[1] - 1, h.shape[1]
    e = torch.empty(batch, target, source, dtype=h.dtype)
    for b in range(batch):
        for i in range(target):
            for j in range(source):
                e[b, i, j] = torch.dot(v, torch.tanh(torch.mv(W, states[b, i]) + torch.mv(U, h[b, j])))
    return e
