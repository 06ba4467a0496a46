# %% right: einsum
# Written with one einsum for each kind of weight, for all three places at once.


def cho_step(e, h, c, W, U, C):
    word = torch.einsum("gij,bj->gbi", W, e)
    rest = torch.einsum("gij,bj->gbi", U, h) + torch.einsum("gij,bj->gbi", C, c)
    z, r = torch.sigmoid(word[:2] + rest[:2])
    return z * h + (1 - z) * torch.tanh(word[2] + r * rest[2])


# %% right: loops
# Written with loops: one sentence at a time, matrix times vector, as in the equations.


def cho_step(e, h, c, W, U, C):
    result = []
    for word, state, summary in zip(e, h, c, strict=True):
        z = torch.sigmoid(W[0] @ word + U[0] @ state + C[0] @ summary)
        r = torch.sigmoid(W[1] @ word + U[1] @ state + C[1] @ summary)
        candidate = torch.tanh(W[2] @ word + r * (U[2] @ state + C[2] @ summary))
        result.append(candidate + z * (state - candidate))
    return torch.stack(result)


# %% wrong: concatenated
# The summary is joined to the word, so the reset gate does not scale it.
# Message: The reset gate scales C c too


def cho_step(e, h, c, W, U, C):
    inputs, weights = torch.cat([e, c], dim=1), torch.cat([W, C], dim=2)
    z = torch.sigmoid(inputs @ weights[0].T + h @ U[0].T)
    r = torch.sigmoid(inputs @ weights[1].T + h @ U[1].T)
    candidate = torch.tanh(inputs @ weights[2].T + r * (h @ U[2].T))
    return z * h + (1 - z) * candidate


# %% wrong: gates mixed up
# The weights of the two gates are swapped, as in torch's order.
# Message: The gates are mixed up


def cho_step(e, h, c, W, U, C):
    r = torch.sigmoid(e @ W[0].T + h @ U[0].T + c @ C[0].T)
    z = torch.sigmoid(e @ W[1].T + h @ U[1].T + c @ C[1].T)
    return z * h + (1 - z) * torch.tanh(e @ W[2].T + r * (h @ U[2].T + c @ C[2].T))


# %% wrong: no summary
# The summary is forgotten, as if it had been used up in the first state.
# Message: The summary c has no influence; it enters both gates and the candidate


def cho_step(e, h, c, W, U, C):
    z = torch.sigmoid(e @ W[0].T + h @ U[0].T)
    r = torch.sigmoid(e @ W[1].T + h @ U[1].T)
    return z * h + (1 - z) * torch.tanh(e @ W[2].T + r * (h @ U[2].T))


# %% wrong: not transposed
# The weights act on the wrong side where the sizes allow it.
# Message: The weights act on the wrong side


def cho_step(e, h, c, W, U, C):
    def product(x, weight):
        return x @ weight if weight.shape[0] == weight.shape[1] else x @ weight.T

    z = torch.sigmoid(product(e, W[0]) + product(h, U[0]) + product(c, C[0]))
    r = torch.sigmoid(product(e, W[1]) + product(h, U[1]) + product(c, C[1]))
    return z * h + (1 - z) * torch.tanh(product(e, W[2]) + r * (product(h, U[2]) + product(c, C[2])))


# %% wrong: reset before product
# The reset gate scales the state before the product with U.
# Message: The reset gate belongs to the products


def cho_step(e, h, c, W, U, C):
    z = torch.sigmoid(e @ W[0].T + h @ U[0].T + c @ C[0].T)
    r = torch.sigmoid(e @ W[1].T + h @ U[1].T + c @ C[1].T)
    return z * h + (1 - z) * torch.tanh(e @ W[2].T + (r * h) @ U[2].T + c @ C[2].T)


# %% wrong: summary in gates only
# The summary enters the gates alone.
# Message: The summary c is missing in the candidate


def cho_step(e, h, c, W, U, C):
    z = torch.sigmoid(e @ W[0].T + h @ U[0].T + c @ C[0].T)
    r = torch.sigmoid(e @ W[1].T + h @ U[1].T + c @ C[1].T)
    return z * h + (1 - z) * torch.tanh(e @ W[2].T + r * (h @ U[2].T))


# %% wrong: summary not in gates
# The summary enters the candidate alone.
# Message: The summary c is missing in the gates


def cho_step(e, h, c, W, U, C):
    z = torch.sigmoid(e @ W[0].T + h @ U[0].T)
    r = torch.sigmoid(e @ W[1].T + h @ U[1].T)
    return z * h + (1 - z) * torch.tanh(e @ W[2].T + r * (h @ U[2].T + c @ C[2].T))


# %% wrong: torch cell
# torch's GRU cell does the work, for one sentence at a time: its second bias is added to U h, as C c is.
# Message: your answer calls torch's gru_cell


def cho_step(e, h, c, W, U, C):
    order = [1, 0, 2]  # torch has the reset gate first
    inputs, states = W[order].flatten(0, 1), U[order].flatten(0, 1)
    rows = []
    for i in range(len(e)):
        summary = (C[order] @ c[i]).flatten()
        rows.append(torch.gru_cell(e[i : i + 1], h[i : i + 1], inputs, states, 0 * summary, summary))
    return torch.cat(rows)


# %% wrong: update turned round
# The update gate lets the new in where it should keep the old.
# Message: z = 1 keeps the old state


def cho_step(e, h, c, W, U, C):
    z = torch.sigmoid(e @ W[0].T + h @ U[0].T + c @ C[0].T)
    r = torch.sigmoid(e @ W[1].T + h @ U[1].T + c @ C[1].T)
    return (1 - z) * h + z * torch.tanh(e @ W[2].T + r * (h @ U[2].T + c @ C[2].T))
