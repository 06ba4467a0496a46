"""Written with sums that grow on the way back."""


def bptt(x, targets, h_0, states, probabilities, W_hh, W_hy):
    batch, time, size = x.shape
    hidden = W_hh.shape[0]
    d_W_xh, d_W_hh = torch.zeros(hidden, size, dtype=x.dtype), torch.zeros_like(W_hh)
    d_W_hy, d_b = torch.zeros_like(W_hy), torch.zeros(hidden, dtype=x.dtype)
    d_h = torch.zeros_like(h_0)
    for t in range(time - 1, -1, -1):
        d_z = probabilities[:, t].clone()
        d_z[torch.arange(batch), targets[:, t]] -= 1
        d_W_hy += d_z.T @ states[:, t]
        d_a = (d_h + d_z @ W_hy) * (1 - states[:, t] * states[:, t])
        d_W_xh += d_a.T @ x[:, t]
        d_W_hh += d_a.T @ (states[:, t - 1] if t > 0 else h_0)
        d_b += d_a.sum(dim=0)
        d_h = d_a @ W_hh
    return d_W_xh, d_W_hh, d_W_hy, d_b, d_h
