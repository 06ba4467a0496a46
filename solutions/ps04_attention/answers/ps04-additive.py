# %% right: concatenated
# Written as one matrix [W U] on the concatenation [s; h], summed with einsum.


def additive_scores(states, h, W, U, v):
    target, source = states.shape[1] - 1, h.shape[1]
    pairs = torch.cat(
        [states[:, :-1, None].repeat(1, 1, source, 1), h[:, None].repeat(1, target, 1, 1)], dim=-1
    )
    return torch.einsum(
        "a,btsa->bts", v, torch.einsum("ax,btsx->btsa", torch.cat([W, U], dim=1), pairs).tanh()
    )


# %% right: loops
# Written with loops: one score at a time, as in the equation.


def additive_scores(states, h, W, U, v):
    batch, target, source = states.shape[0], states.shape[1] - 1, h.shape[1]
    e = torch.empty(batch, target, source, dtype=h.dtype)
    for b in range(batch):
        for i in range(target):
            for j in range(source):
                e[b, i, j] = torch.dot(v, torch.tanh(torch.mv(W, states[b, i]) + torch.mv(U, h[b, j])))
    return e


# %% wrong: numpy
# Written with numpy, which cuts the graph.
# Message: Gradients reach all five inputs


def additive_scores(states, h, W, U, v):
    s, k, W, U, v = (part.detach().numpy() for part in (states[:, :-1], h, W, U, v))
    hidden = np.tanh((s @ W.T)[:, :, np.newaxis] + (k @ U.T)[:, np.newaxis])
    return torch.from_numpy((hidden * v).sum(axis=-1))


# %% wrong: axes swapped
# One row for each source position, instead of each target step.
# Message: two axes are swapped


def additive_scores(states, h, W, U, v):
    queries = states[:, :-1] @ W.T
    return torch.tanh(queries.unsqueeze(1) + (h @ U.T).unsqueeze(2)) @ v


# %% wrong: current state
# The current decoder state asks, instead of the previous one.
# Message: Bahdanau asks with the previous one


def additive_scores(states, h, W, U, v):
    queries = states[:, 1:] @ W.T
    return torch.tanh(queries.unsqueeze(2) + (h @ U.T).unsqueeze(1)) @ v


# %% wrong: keys only
# Only the encoder states are seen.
# Message: W s is missing


def additive_scores(states, h, W, U, v):
    scores = torch.tanh(h @ U.T) @ v
    return scores.unsqueeze(1).expand(-1, states.shape[1] - 1, -1)


# %% wrong: library
# The library's attention scores, one target step at a time.
# Message: your answer calls course_lib.attention.scores.AdditiveAttention


from course_lib.attention import AdditiveAttention


def additive_scores(states, h, W, U, v):
    attention = AdditiveAttention(W.shape[1], U.shape[1], len(v))
    attention.W.weight.data, attention.U.weight.data, attention.v.weight.data = W, U, v.unsqueeze(0)
    keys = attention.project(h)
    return torch.stack([attention.score(s, keys) for s in states[:, :-1].unbind(1)], dim=1)


# %% wrong: no tanh
# The tanh is left out.
# Message: The tanh is missing


def additive_scores(states, h, W, U, v):
    queries = states[:, :-1] @ W.T
    return (queries.unsqueeze(2) + (h @ U.T).unsqueeze(1)) @ v


# %% wrong: query only
# Only the decoder states are seen.
# Message: U h is missing


def additive_scores(states, h, W, U, v):
    scores = torch.tanh(states[:, :-1] @ W.T) @ v
    return scores.unsqueeze(2).expand(-1, -1, h.shape[1])


# %% wrong: single precision
# Scores are computed in single precision.
# Message: Do not convert the numbers


def additive_scores(states, h, W, U, v):
    states, h, W, U, v = (part.float() for part in (states, h, W, U, v))
    queries = states[:, :-1] @ W.T
    return torch.tanh(queries.unsqueeze(2) + (h @ U.T).unsqueeze(1)) @ v


# %% wrong: sum without v
# The hidden layer is summed instead of weighed by v.
# Message: The product with v is missing


def additive_scores(states, h, W, U, v):
    queries = states[:, :-1] @ W.T
    return torch.tanh(queries.unsqueeze(2) + (h @ U.T).unsqueeze(1)).sum(dim=-1)


# %% wrong: tanh last
# The tanh is taken of the score, not of the hidden layer.
# Message: The tanh comes before the product with v


def additive_scores(states, h, W, U, v):
    queries = states[:, :-1] @ W.T
    return torch.tanh((queries.unsqueeze(2) + (h @ U.T).unsqueeze(1)) @ v)


# %% wrong: weights transposed
# The matrices are used untransposed, which runs whenever they are square.
# Message: W and U act on the wrong side


def additive_scores(states, h, W, U, v):
    W, U = (W if W.shape[0] == W.shape[1] else W.T), (U if U.shape[0] == U.shape[1] else U.T)
    return torch.tanh((states[:, :-1] @ W).unsqueeze(2) + (h @ U).unsqueeze(1)) @ v


# %% wrong: no grad
# The scores are computed where no graph is kept, so nothing can be trained.
# Message: Gradients reach all five inputs


def additive_scores(states, h, W, U, v):
    with torch.no_grad():
        return torch.tanh((states[:, :-1] @ W.T).unsqueeze(2) + (h @ U.T).unsqueeze(1)) @ v
