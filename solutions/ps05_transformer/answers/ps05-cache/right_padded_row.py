"""Written with matrix products, and an empty cache in the place of None."""


def cached_step(x, cache, W_Q, W_K, W_V):
    if cache is None:
        cache = x.new_zeros(len(x), 0, len(W_K)), x.new_zeros(len(x), 0, len(W_V))
    row = x[:, None]
    keys, values = (torch.cat([old, row @ W.T], dim=1) for old, W in zip(cache, (W_K, W_V), strict=True))
    weights = torch.softmax(row @ W_Q.T @ keys.mT * len(W_Q) ** -0.5, dim=-1)
    return (weights @ values)[:, 0], (keys, values)
