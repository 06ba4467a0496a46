# %% right: loops
# Written for one picture and one place at a time.


def look(a, h, W, U, v, g):
    seen, weights = [], []
    for places, state in zip(a, h, strict=True):
        scores = torch.stack([v @ torch.tanh(W @ state + U @ place) for place in places])
        alpha = torch.softmax(scores, dim=0)
        weights.append(alpha)
        seen.append(torch.sigmoid(g @ state) * (alpha @ places))
    return torch.stack(seen), torch.stack(weights)


# %% right: einsum
# Written with sums over named axes; the gate scales the places before they are summed.


def look(a, h, W, U, v, g):
    asked = torch.einsum("kh,bh->bk", W, h)
    offered = torch.einsum("kf,bpf->bpk", U, a)
    alpha = torch.einsum("k,bpk->bp", v, torch.tanh(offered + asked[:, None])).softmax(dim=-1)
    beta = 1 / (1 + torch.exp(-(h * g).sum(dim=1)))
    return torch.einsum("b,bp,bpf->bf", beta, alpha, a), alpha


# %% wrong: no gate
# The picture counts as much for every word.
# Message: The gate β has no influence.


def look(a, h, W, U, v, g):
    alpha = (torch.tanh((h @ W.T)[:, None] + a @ U.T) @ v).softmax(dim=1)
    return (alpha[:, :, None] * a).sum(dim=1), alpha


# %% wrong: gated weights
# The gate scales the weights, and these are returned.
# Message: The gate scales what was seen, not the weights.


def look(a, h, W, U, v, g):
    alpha = (torch.tanh((h @ W.T)[:, None] + a @ U.T) @ v).softmax(dim=1)
    alpha = torch.sigmoid(h @ g)[:, None] * alpha
    return (alpha[:, :, None] * a).sum(dim=1), alpha


# %% wrong: gate of tanh
# The gate is a tanh.
# Message: The gate is a sigmoid, not a tanh.


def look(a, h, W, U, v, g):
    alpha = (torch.tanh((h @ W.T)[:, None] + a @ U.T) @ v).softmax(dim=1)
    return torch.tanh(h @ g)[:, None] * (alpha[:, :, None] * a).sum(dim=1), alpha


# %% wrong: gate turned round
# A gate near 1 shuts the picture out.
# Message: The gate is the wrong way round


def look(a, h, W, U, v, g):
    alpha = (torch.tanh((h @ W.T)[:, None] + a @ U.T) @ v).softmax(dim=1)
    return (1 - torch.sigmoid(h @ g))[:, None] * (alpha[:, :, None] * a).sum(dim=1), alpha


# %% wrong: one gate
# All pictures go through the gate of the first.
# Message: Each picture has a gate of its own


def look(a, h, W, U, v, g):
    alpha = (torch.tanh((h @ W.T)[:, None] + a @ U.T) @ v).softmax(dim=1)
    return torch.sigmoid(h[0] @ g) * (alpha[:, :, None] * a).sum(dim=1), alpha


# %% wrong: mean over places
# The mean of the weighted places, not their sum.
# Message: Take the sum over the places


def look(a, h, W, U, v, g):
    alpha = (torch.tanh((h @ W.T)[:, None] + a @ U.T) @ v).softmax(dim=1)
    return torch.sigmoid(h @ g)[:, None] * (alpha[:, :, None] * a).mean(dim=1), alpha


# %% wrong: softmax over the batch
# The weights of a place sum to 1 over the pictures.
# Message: it runs over the places


def look(a, h, W, U, v, g):
    alpha = (torch.tanh((h @ W.T)[:, None] + a @ U.T) @ v).softmax(dim=0)
    return torch.sigmoid(h @ g)[:, None] * (alpha[:, :, None] * a).sum(dim=1), alpha


# %% wrong: plain exponentials
# The softmax is written out, and overflows.
# Message: The exponential of 1,000 is infinite


def look(a, h, W, U, v, g):
    powers = torch.exp(torch.tanh((h @ W.T)[:, None] + a @ U.T) @ v)
    alpha = powers / powers.sum(dim=1, keepdim=True)
    return torch.sigmoid(h @ g)[:, None] * (alpha[:, :, None] * a).sum(dim=1), alpha


# %% wrong: cut graph
# The weights are taken out of the graph.
# Message: no gradient reaches W.


def look(a, h, W, U, v, g):
    alpha = (torch.tanh((h @ W.T)[:, None] + a @ U.T) @ v).softmax(dim=1).detach()
    return torch.sigmoid(h @ g)[:, None] * (alpha[:, :, None] * a).sum(dim=1), alpha
