"""The new position looks only at the past; the cache grows afterwards.

Message: The new position looks at itself, too
"""


def cached_step(x, cache, W_Q, W_K, W_V):
    key, value = (x @ W_K.T).unsqueeze(1), (x @ W_V.T).unsqueeze(1)
    if cache is None:
        return value[:, 0], (key, value)
    scores = torch.einsum("bd,bsd->bs", x @ W_Q.T, cache[0]) / math.sqrt(len(W_K))
    context = torch.einsum("bs,bsf->bf", scores.softmax(dim=-1), cache[1])
    return context, (torch.cat([cache[0], key], dim=1), torch.cat([cache[1], value], dim=1))
