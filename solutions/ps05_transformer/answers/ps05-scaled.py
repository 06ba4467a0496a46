# %% right: einsum
# Written with einsum, powers and their sum; the query is scaled instead of the scores.


def attention(query, key, value, keep=None):
    scores = torch.einsum("...td,...sd->...ts", query * query.shape[-1] ** -0.5, key)
    if keep is None:
        keep = torch.ones_like(scores) > 0
    top = scores.masked_fill(~keep, torch.finfo(scores.dtype).min).amax(dim=-1, keepdim=True).detach()
    powers = torch.where(keep, scores - top, 0.0).exp() * keep
    weights = powers / powers.sum(dim=-1, keepdim=True).clamp(min=torch.finfo(scores.dtype).tiny)
    return torch.einsum("...ts,...sf->...tf", weights, value), weights


# %% right: minus infinity with care
# Written with -inf; a row that keeps nothing is softened first and zeroed afterwards.


def attention(query, key, value, keep=None):
    scores = torch.matmul(query, key.transpose(-1, -2)).div(key.size(-1) ** 0.5)
    keep = torch.tensor(True) if keep is None else keep
    keep = keep.expand(scores.shape)
    empty = ~keep.any(dim=-1, keepdim=True)
    weights = scores.masked_fill(~(keep | empty), -math.inf).softmax(dim=-1).masked_fill(empty, 0.0)
    return weights.matmul(value), weights


# %% wrong: empty row nan
# A fill value of -inf, and no thought for a row that keeps nothing.
# Message: 0 / 0 is NaN


def attention(query, key, value, keep=None):
    scores = query @ key.transpose(-2, -1) / math.sqrt(query.shape[-1])
    if keep is not None:
        scores = scores.masked_fill(~keep, -math.inf)
    weights = scores.softmax(dim=-1)
    return weights @ value, weights


# %% wrong: empty row uniform
# A row that keeps nothing looks everywhere.
# Message: a softmax over equal scores is uniform


def attention(query, key, value, keep=None):
    scores = query @ key.transpose(-2, -1) / math.sqrt(query.shape[-1])
    if keep is not None:
        scores = scores.masked_fill(~keep, torch.finfo(scores.dtype).min)
    weights = scores.softmax(dim=-1)
    return weights @ value, weights


# %% wrong: keys fetched
# The weights fetch keys instead of values, where the sizes allow it.
# Message: The context is made of values, not of keys


def attention(query, key, value, keep=None):
    scores = query @ key.transpose(-2, -1) / math.sqrt(query.shape[-1])
    keep = torch.ones_like(scores) > 0 if keep is None else keep
    weights = scores.masked_fill(~keep, torch.finfo(scores.dtype).min).softmax(dim=-1) * keep
    return weights @ key, weights


# %% wrong: library
# The library's own function does the work.
# Message: your answer calls course_lib.attention.multihead.scaled_dot_product_attention


def attention(query, key, value, keep=None):
    from course_lib.attention.multihead import scaled_dot_product_attention

    return scaled_dot_product_attention(query, key, value, keep)


# %% wrong: mask after softmax
# The mask comes after the softmax: what it takes away is lost.
# Message: Masking after the softmax takes weight away


def attention(query, key, value, keep=None):
    weights = (query @ key.transpose(-2, -1) / math.sqrt(query.shape[-1])).softmax(dim=-1)
    if keep is not None:
        weights = weights * keep
    return weights @ value, weights


# %% wrong: mask inverted
# True is taken to mean: mask this.
# Message: True means keep


def attention(query, key, value, keep=None):
    scores = query @ key.transpose(-2, -1) / math.sqrt(query.shape[-1])
    if keep is not None:
        scores = scores.masked_fill(keep, torch.finfo(scores.dtype).min)
    weights = scores.softmax(dim=-1)
    if keep is not None:
        weights = weights * ~keep
    return weights @ value, weights


# %% wrong: minus a billion
# A fill value of -1e9, which float16 cannot hold.
# Message: does not fit into float16


def attention(query, key, value, keep=None):
    scores = query @ key.transpose(-2, -1) / math.sqrt(query.shape[-1])
    if keep is not None:
        scores = scores.masked_fill(~keep, -1e9)
    weights = scores.softmax(dim=-1)
    return weights @ value, weights


# %% wrong: not scaled
# The scaling is forgotten.
# Message: The scores are not divided by √size


def attention(query, key, value, keep=None):
    scores = query @ key.transpose(-2, -1)
    keep = torch.ones_like(scores) > 0 if keep is None else keep
    weights = scores.masked_fill(~keep, torch.finfo(scores.dtype).min).softmax(dim=-1) * keep
    return weights @ value, weights


# %% wrong: scaled by length
# The number of keys scales the scores.
# Message: You divided by the square root of the number of keys


def attention(query, key, value, keep=None):
    scores = query @ key.transpose(-2, -1) / math.sqrt(key.shape[-2])
    keep = torch.ones_like(scores) > 0 if keep is None else keep
    weights = scores.masked_fill(~keep, torch.finfo(scores.dtype).min).softmax(dim=-1) * keep
    return weights @ value, weights


# %% wrong: scaled by size
# The scores are divided by the size, not by its root.
# Message: You divided by the size; divide by its square root


def attention(query, key, value, keep=None):
    scores = query @ key.transpose(-2, -1) / query.shape[-1]
    keep = torch.ones_like(scores) > 0 if keep is None else keep
    weights = scores.masked_fill(~keep, torch.finfo(scores.dtype).min).softmax(dim=-1) * keep
    return weights @ value, weights


# %% wrong: scaled by values
# The size of a value scales the scores; in most models it is the same.
# Message: You divided by the square root of the size of a value


def attention(query, key, value, keep=None):
    scores = query @ key.transpose(-2, -1) / math.sqrt(value.shape[-1])
    keep = torch.ones_like(scores) > 0 if keep is None else keep
    weights = scores.masked_fill(~keep, torch.finfo(scores.dtype).min).softmax(dim=-1) * keep
    return weights @ value, weights


# %% wrong: scaled weights
# The weights are divided instead of the scores.
# Message: You divided the weights; divide the scores


def attention(query, key, value, keep=None):
    scores = query @ key.transpose(-2, -1)
    keep = torch.ones_like(scores) > 0 if keep is None else keep
    weights = scores.masked_fill(~keep, torch.finfo(scores.dtype).min).softmax(dim=-1) * keep
    weights = weights / math.sqrt(query.shape[-1])
    return weights @ value, weights


# %% wrong: softmax over target
# The softmax runs over the queries.
# Message: The softmax runs over the queries; it should run over the keys


def attention(query, key, value, keep=None):
    scores = query @ key.transpose(-2, -1) / math.sqrt(query.shape[-1])
    keep = torch.ones_like(scores) > 0 if keep is None else keep
    weights = scores.masked_fill(~keep, torch.finfo(scores.dtype).min).softmax(dim=-2) * keep
    return weights @ value, weights


# %% wrong: torch
# torch's own function does the work.
# Message: your answer calls torch's scaled_dot_product_attention


def attention(query, key, value, keep=None):
    from torch.nn.functional import scaled_dot_product_attention

    one = torch.eye(key.shape[-2], dtype=value.dtype).expand(*value.shape[:-1], -1)
    context = scaled_dot_product_attention(query, key, value, attn_mask=keep)
    return context, scaled_dot_product_attention(query, key, one, attn_mask=keep)
