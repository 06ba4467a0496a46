# %% right: loops
# Written memory by memory and row by row.


def look_up(memory, key, strength):
    result = []
    for rows, k, beta in zip(memory, key, strength, strict=True):
        cosines = torch.zeros_like(rows[:, 0])
        for i, row in enumerate(rows):
            if row.any() and k.any():
                cosines[i] = (row @ k) / (torch.linalg.norm(row) * torch.linalg.norm(k))
        result.append((beta * cosines).softmax(dim=0))
    return torch.stack(result)


# %% right: normalize
# Written with torch's vectors of length 1.


def look_up(memory, key, strength):
    normalize = torch.nn.functional.normalize
    cosines = normalize(memory, dim=2) @ normalize(key, dim=1).unsqueeze(2)
    return (strength[:, None, None] * cosines).softmax(dim=1).squeeze(2)


# %% wrong: product
# The product of key and row is taken for their cosine.
# Message: Divide by both lengths


def look_up(memory, key, strength):
    return (strength.unsqueeze(1) * torch.einsum("brs,bs->br", memory, key)).softmax(dim=1)


# %% wrong: rows as long as they are
# Only the key is divided by its length.
# Message: Divide by the length of the rows, too.


def look_up(memory, key, strength):
    key = key / key.norm(dim=1, keepdim=True).clamp(min=1e-20)
    return (strength.unsqueeze(1) * torch.einsum("brs,bs->br", memory, key)).softmax(dim=1)


# %% wrong: key as long as it is
# Only the rows are divided by their length.
# Message: Divide by the length of the key, too.


def look_up(memory, key, strength):
    memory = memory / memory.norm(dim=2, keepdim=True).clamp(min=1e-20)
    return (strength.unsqueeze(1) * torch.einsum("brs,bs->br", memory, key)).softmax(dim=1)


# %% wrong: no strength
# The strength is forgotten.
# Message: The strength β is missing.


def look_up(memory, key, strength):
    memory = memory / memory.norm(dim=2, keepdim=True).clamp(min=1e-20)
    key = key / key.norm(dim=1, keepdim=True).clamp(min=1e-20)
    return torch.einsum("brs,bs->br", memory, key).softmax(dim=1)


# %% wrong: no softmax
# The cosines are returned, times the strength.
# Message: the softmax is missing


def look_up(memory, key, strength):
    memory = memory / memory.norm(dim=2, keepdim=True).clamp(min=1e-20)
    key = key / key.norm(dim=1, keepdim=True).clamp(min=1e-20)
    return strength.unsqueeze(1) * torch.einsum("brs,bs->br", memory, key)


# %% wrong: a temperature
# The strength is taken for a temperature.
# Message: The strength is a factor of the cosines, not below them.


def look_up(memory, key, strength):
    memory = memory / memory.norm(dim=2, keepdim=True).clamp(min=1e-20)
    key = key / key.norm(dim=1, keepdim=True).clamp(min=1e-20)
    return (torch.einsum("brs,bs->br", memory, key) / strength.unsqueeze(1)).softmax(dim=1)


# %% wrong: zeros
# A row of zeros is divided by its length.
# Message: Zeros have the cosine 0, not NaN


def look_up(memory, key, strength):
    memory = memory / memory.norm(dim=2, keepdim=True)
    key = key / key.norm(dim=1, keepdim=True)
    return (strength.unsqueeze(1) * torch.einsum("brs,bs->br", memory, key)).softmax(dim=1)


# %% wrong: too much added
# What is added to the lengths is as large as those of short rows.
# Message: A short row has a direction


def look_up(memory, key, strength):
    memory = memory / (memory.norm(dim=2, keepdim=True) + 1e-7)
    key = key / (key.norm(dim=1, keepdim=True) + 1e-7)
    return (strength.unsqueeze(1) * torch.einsum("brs,bs->br", memory, key)).softmax(dim=1)


# %% wrong: exponentials as they stand
# The exponential of a large strength is infinite.
# Message: The exponential of 10 000 is infinite: use softmax.


def look_up(memory, key, strength):
    memory = memory / memory.norm(dim=2, keepdim=True).clamp(min=1e-20)
    key = key / key.norm(dim=1, keepdim=True).clamp(min=1e-20)
    parts = (strength.unsqueeze(1) * torch.einsum("brs,bs->br", memory, key)).exp()
    return parts / parts.sum(dim=1, keepdim=True)


# %% wrong: library
# torch has the cosine ready-made.
# Message: your answer calls torch's cosine_similarity


def look_up(memory, key, strength):
    cosines = torch.nn.functional.cosine_similarity(memory, key.unsqueeze(1), dim=-1)
    return (strength.unsqueeze(1) * cosines).softmax(dim=1)
