"""Written one sequence at a time, with columns as on paper."""


def bptt(x, targets, h_0, states, probabilities, W_hh, W_hy):
    totals, starts = None, []
    for i in range(len(x)):
        history = torch.vstack([h_0[i], states[i]])
        later = torch.zeros_like(h_0[i])
        for t in range(x.shape[1] - 1, -1, -1):
            d_z = probabilities[i, t] - torch.eye(len(W_hy), dtype=x.dtype)[targets[i, t]]
            d_a = (W_hy.T @ d_z + later) * (1 - history[t + 1] ** 2)
            parts = (d_a.outer(x[i, t]), d_a.outer(history[t]), d_z.outer(history[t + 1]), d_a)
            totals = parts if totals is None else tuple(a + b for a, b in zip(totals, parts, strict=True))
            later = W_hh.T @ d_a
        starts.append(later)
    return (*totals, torch.stack(starts))
