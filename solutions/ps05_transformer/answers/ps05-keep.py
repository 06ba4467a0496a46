# %% right: loops
# Written with loops over sentences, queries and keys.


def decoder_keep(tokens, pad, new=None):
    length = tokens.shape[1]
    asking = range(length) if new is None else range(length - new, length)
    keep = [[[[k <= q and t != pad for k, t in enumerate(row)] for q in asking]] for row in tokens.tolist()]
    return torch.tensor(keep)


# %% right: tril
# Written with a square triangle, cut to its last rows.


def decoder_keep(tokens, pad, new=None):
    batch, length = tokens.shape
    causal = torch.ones(length, length, dtype=torch.bool).tril()[length - (new or length) :]
    real = tokens.ne(pad).reshape(batch, 1, 1, length)
    return torch.logical_and(causal, real)


# %% wrong: counts tokens
# Real tokens are counted, as if padding stood only at the end.
# Message: compare the tokens with pad; do not count them


def decoder_keep(tokens, pad, new=None):
    length = tokens.shape[1]
    causal = torch.ones(length, length, dtype=torch.bool).tril()[length - (new or length) :]
    real = torch.arange(length) < (tokens != pad).sum(dim=1, keepdim=True)
    return causal & real[:, None, None]


# %% wrong: flat rectangle
# The triangle of a flat rectangle: the new positions are taken for the first.
# Message: The last positions ask, not the first


def decoder_keep(tokens, pad, new=None):
    length = tokens.shape[1]
    causal = torch.ones(new or length, length, dtype=torch.bool).tril()
    return causal & (tokens != pad)[:, None, None]


# %% wrong: float
# The mask is of numbers.
# Message: expected a boolean mask


def decoder_keep(tokens, pad, new=None):
    length = tokens.shape[1]
    causal = torch.ones(length, length).tril()[length - (new or length) :]
    return causal * (tokens != pad)[:, None, None]


# %% wrong: inverted
# True means: hide this, as in torch's own layers.
# Message: True means keep


def decoder_keep(tokens, pad, new=None):
    length = tokens.shape[1]
    causal = torch.ones(length, length, dtype=torch.bool).tril()[length - (new or length) :]
    return ~(causal & (tokens != pad)[:, None, None])


# %% wrong: library
# The library's triangle is asked.
# Message: your answer calls course_lib.attention.multihead.causal_mask


from course_lib.attention import causal_mask


def decoder_keep(tokens, pad, new=None):
    length = tokens.shape[1]
    rows = causal_mask(length)[length - (length if new is None else new) :]
    return rows & (tokens != pad)[:, None, None]


# %% wrong: no future
# Only padding is closed; the future is open.
# Message: The future is open


def decoder_keep(tokens, pad, new=None):
    batch, length = tokens.shape
    return (tokens != pad)[:, None, None].expand(batch, 1, new or length, length)


# %% wrong: no head axis
# The axis of the heads is missing.
# Message: expected shape (batch 1, head 1, query 3, key 3), got (1, 3, 3)


def decoder_keep(tokens, pad, new=None):
    length = tokens.shape[1]
    causal = torch.ones(length, length, dtype=torch.bool).tril()[length - (new or length) :]
    return causal & (tokens != pad)[:, None]


# %% wrong: no padding
# Only the future is closed; padding is forgotten.
# Message: Padding may still be looked at


def decoder_keep(tokens, pad, new=None):
    length = tokens.shape[1]
    causal = torch.ones(length, length, dtype=torch.bool).tril()[length - (new or length) :]
    return causal.expand(len(tokens), 1, -1, -1)


# %% wrong: not itself
# A position may not look at itself.
# Message: A position may look at itself


def decoder_keep(tokens, pad, new=None):
    length = tokens.shape[1]
    causal = torch.ones(length, length, dtype=torch.bool).tril(-1)[length - (new or length) :]
    return causal & (tokens != pad)[:, None, None]


# %% wrong: pad is zero
# Padding is taken to be token 0.
# Message: The pad token is an argument


def decoder_keep(tokens, pad, new=None):
    length = tokens.shape[1]
    causal = torch.ones(length, length, dtype=torch.bool).tril()[length - (new or length) :]
    return causal & (tokens != 0)[:, None, None]


# %% wrong: rows of padding
# The rows of padding are closed, its columns are open.
# Message: only its columns are closed


def decoder_keep(tokens, pad, new=None):
    length = tokens.shape[1]
    first = length - (new or length)
    causal = torch.ones(length, length, dtype=torch.bool).tril()[first:]
    return causal & (tokens != pad)[:, None, first:, None]


# %% wrong: torch
# torch's triangle is asked.
# Message: your answer calls torch's


def decoder_keep(tokens, pad, new=None):
    length = tokens.shape[1]
    triangle = torch.nn.Transformer.generate_square_subsequent_mask(length) == 0
    return triangle[length - (length if new is None else new) :] & (tokens != pad)[:, None, None]


# %% wrong: upper triangle
# The upper triangle: every position looks ahead.
# Message: This looks into the future


def decoder_keep(tokens, pad, new=None):
    length = tokens.shape[1]
    causal = torch.ones(length, length, dtype=torch.bool).triu()[length - (new or length) :]
    return causal & (tokens != pad)[:, None, None]
