"""The size of the whole model scales the scores.

Message: You divided by the square root of the model's size
"""


def cached_step(x, cache, W_Q, W_K, W_V):
    keys, values = (x @ W_K.T).unsqueeze(1), (x @ W_V.T).unsqueeze(1)
    if cache is not None:
        keys, values = torch.cat([cache[0], keys], dim=1), torch.cat([cache[1], values], dim=1)
    scores = torch.einsum("bd,bsd->bs", x @ W_Q.T, keys) / math.sqrt(x.shape[1])
    return torch.einsum("bs,bsf->bf", scores.softmax(dim=-1), values), (keys, values)
