# %% right: loops
# Written with loops: one sentence at a time.


def cached_step(x, cache, W_Q, W_K, W_V):
    contexts, all_keys, all_values = [], [], []
    for i, new in enumerate(x):
        keys, values = (W_K @ new)[None], (W_V @ new)[None]
        if cache is not None:
            keys, values = torch.vstack([cache[0][i], keys]), torch.vstack([cache[1][i], values])
        weights = torch.softmax(keys @ (W_Q @ new) / math.sqrt(W_K.shape[0]), dim=0)
        contexts.append(weights @ values)
        all_keys.append(keys)
        all_values.append(values)
    return torch.stack(contexts), (torch.stack(all_keys), torch.stack(all_values))


# %% right: padded row
# Written with matrix products, and an empty cache in the place of None.


def cached_step(x, cache, W_Q, W_K, W_V):
    if cache is None:
        cache = x.new_zeros(len(x), 0, len(W_K)), x.new_zeros(len(x), 0, len(W_V))
    row = x[:, None]
    keys, values = (torch.cat([old, row @ W.T], dim=1) for old, W in zip(cache, (W_K, W_V), strict=True))
    weights = torch.softmax(row @ W_Q.T @ keys.mT * len(W_Q) ** -0.5, dim=-1)
    return (weights @ values)[:, 0], (keys, values)


# %% wrong: cache elsewhere
# Keys and values are kept in a place of the function's own, so a search cannot re-order them.
# Message: Keep all that a step needs in the cache, nowhere else


kept = {}


def cached_step(x, cache, W_Q, W_K, W_V):
    keys, values = (x @ W_K.T).unsqueeze(1), (x @ W_V.T).unsqueeze(1)
    if cache is not None and kept and kept["keys"].shape[0] == len(x):
        keys = torch.cat([kept["keys"], keys], dim=1)
        values = torch.cat([kept["values"], values], dim=1)
    elif cache is not None:
        keys, values = torch.cat([cache[0], keys], dim=1), torch.cat([cache[1], values], dim=1)
    kept.update(keys=keys, values=values)
    scores = torch.einsum("bd,bsd->bs", x @ W_Q.T, keys) / math.sqrt(len(W_K))
    return torch.einsum("bs,bsf->bf", scores.softmax(dim=-1), values), (keys, values)


# %% wrong: context only
# The new cache is not returned.
# Message: expected a tuple (context, cache), got torch.Tensor


def cached_step(x, cache, W_Q, W_K, W_V):
    keys, values = (x @ W_K.T).unsqueeze(1), (x @ W_V.T).unsqueeze(1)
    if cache is not None:
        keys, values = torch.cat([cache[0], keys], dim=1), torch.cat([cache[1], values], dim=1)
    scores = torch.einsum("bd,bsd->bs", x @ W_Q.T, keys) / math.sqrt(len(W_K))
    return torch.einsum("bs,bsf->bf", scores.softmax(dim=-1), values)


# %% wrong: library
# The library attends to the cache.
# Message: your answer calls course_lib.attention.multihead.scaled_dot_product_attention


from course_lib.attention import scaled_dot_product_attention


def cached_step(x, cache, W_Q, W_K, W_V):
    keys, values = (x @ W_K.T).unsqueeze(1), (x @ W_V.T).unsqueeze(1)
    if cache is not None:
        keys, values = torch.cat([cache[0], keys], dim=1), torch.cat([cache[1], values], dim=1)
    context, _ = scaled_dot_product_attention((x @ W_Q.T).unsqueeze(1), keys, values)
    return context.squeeze(1), (keys, values)


# %% wrong: newest first
# The newest position is put in front.
# Message: The newest position comes last


def cached_step(x, cache, W_Q, W_K, W_V):
    keys, values = (x @ W_K.T).unsqueeze(1), (x @ W_V.T).unsqueeze(1)
    if cache is not None:
        keys, values = torch.cat([keys, cache[0]], dim=1), torch.cat([values, cache[1]], dim=1)
    scores = torch.einsum("bd,bsd->bs", x @ W_Q.T, keys) / math.sqrt(len(W_K))
    return torch.einsum("bs,bsf->bf", scores.softmax(dim=-1), values), (keys, values)


# %% wrong: not itself
# The new position looks only at the past; the cache grows afterwards.
# Message: The new position looks at itself, too


def cached_step(x, cache, W_Q, W_K, W_V):
    key, value = (x @ W_K.T).unsqueeze(1), (x @ W_V.T).unsqueeze(1)
    if cache is None:
        return value[:, 0], (key, value)
    scores = torch.einsum("bd,bsd->bs", x @ W_Q.T, cache[0]) / math.sqrt(len(W_K))
    context = torch.einsum("bs,bsf->bf", scores.softmax(dim=-1), cache[1])
    return context, (torch.cat([cache[0], key], dim=1), torch.cat([cache[1], value], dim=1))


# %% wrong: not scaled
# The scores are not scaled.
# Message: The scores are not divided by √d


def cached_step(x, cache, W_Q, W_K, W_V):
    keys, values = (x @ W_K.T).unsqueeze(1), (x @ W_V.T).unsqueeze(1)
    if cache is not None:
        keys, values = torch.cat([cache[0], keys], dim=1), torch.cat([cache[1], values], dim=1)
    scores = torch.einsum("bd,bsd->bs", x @ W_Q.T, keys)
    return torch.einsum("bs,bsf->bf", scores.softmax(dim=-1), values), (keys, values)


# %% wrong: past lost
# The cache holds the newest position alone.
# Message: The past is lost


def cached_step(x, cache, W_Q, W_K, W_V):
    keys, values = (x @ W_K.T).unsqueeze(1), (x @ W_V.T).unsqueeze(1)
    scores = torch.einsum("bd,bsd->bs", x @ W_Q.T, keys) / math.sqrt(len(W_K))
    return torch.einsum("bs,bsf->bf", scores.softmax(dim=-1), values), (keys, values)


# %% wrong: projected again
# What is in the cache is projected once more.
# Message: The values of the cache are projected already


def cached_step(x, cache, W_Q, W_K, W_V):
    keys, values = (x @ W_K.T).unsqueeze(1), (x @ W_V.T).unsqueeze(1)
    if cache is not None:
        keys = torch.cat([cache[0] @ W_K.T, keys], dim=1)
        values = torch.cat([cache[1] @ W_V.T, values], dim=1)
    scores = torch.einsum("bd,bsd->bs", x @ W_Q.T, keys) / math.sqrt(len(W_K))
    return torch.einsum("bs,bsf->bf", scores.softmax(dim=-1), values), (keys, values)


# %% wrong: scaled by model
# The size of the whole model scales the scores.
# Message: You divided by the square root of the model's size


def cached_step(x, cache, W_Q, W_K, W_V):
    keys, values = (x @ W_K.T).unsqueeze(1), (x @ W_V.T).unsqueeze(1)
    if cache is not None:
        keys, values = torch.cat([cache[0], keys], dim=1), torch.cat([cache[1], values], dim=1)
    scores = torch.einsum("bd,bsd->bs", x @ W_Q.T, keys) / math.sqrt(x.shape[1])
    return torch.einsum("bs,bsf->bf", scores.softmax(dim=-1), values), (keys, values)


# %% wrong: torch
# torch attends to the cache.
# Message: your answer calls torch's scaled_dot_product_attention


def cached_step(x, cache, W_Q, W_K, W_V):
    keys, values = (x @ W_K.T).unsqueeze(1), (x @ W_V.T).unsqueeze(1)
    if cache is not None:
        keys, values = torch.cat([cache[0], keys], dim=1), torch.cat([cache[1], values], dim=1)
    query = (x @ W_Q.T).unsqueeze(1)
    return torch.nn.functional.scaled_dot_product_attention(query, keys, values).squeeze(1), (keys, values)
