"""The cache holds the newest position alone.

Message: The past is lost
"""


def cached_step(x, cache, W_Q, W_K, W_V):
    keys, values = (x @ W_K.T).unsqueeze(1), (x @ W_V.T).unsqueeze(1)
    scores = torch.einsum("bd,bsd->bs", x @ W_Q.T, keys) / math.sqrt(len(W_K))
    return torch.einsum("bs,bsf->bf", scores.softmax(dim=-1), values), (keys, values)
