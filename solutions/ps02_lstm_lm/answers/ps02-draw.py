# %% right: loops
# Written by walking along the line.


def draw(p, u):
    tokens = []
    for row, number in zip(p.tolist(), u.tolist(), strict=True):
        total, token = 0.0, None
        for k, share in enumerate(row):
            if share > 0:
                token = k
                total += share
                if number < total:
                    break
        tokens.append(token)
    return torch.tensor(tokens)


# %% right: search
# Written with a search in the sums, and a second search where rounding fell short.


def draw(p, u):
    tokens = torch.searchsorted(p.cumsum(dim=1), u.unsqueeze(1).contiguous(), right=True).squeeze(1)
    for row in range(len(p)):
        if tokens[row] == p.shape[1]:
            tokens[row] = p[row].nonzero().max()
    return tokens


# %% wrong: argmax
# The most probable token is taken every time.
# Message: let u decide


def draw(p, u):
    return p.argmax(dim=1)


# %% wrong: behind the end
# Behind the sum the last token is drawn, though it is impossible.
# Message: draw the last token with a probability above 0


def draw(p, u):
    return (p.cumsum(dim=1) <= u.unsqueeze(1)).sum(dim=1).clamp(max=p.shape[1] - 1)


# %% wrong: border
# On a border the token before it is drawn.
# Message: u on a border belongs to the token behind it


def draw(p, u):
    tokens = (p.cumsum(dim=1) < u.unsqueeze(1)).sum(dim=1)
    last = p.shape[1] - 1 - (p > 0).flip(1).int().argmax(dim=1)
    return torch.minimum(tokens, last)


# %% wrong: from one
# Tokens are counted from 1.
# Message: Count the tokens from 0


def draw(p, u):
    return (p.cumsum(dim=1) <= u.unsqueeze(1)).sum(dim=1) + 1


# %% wrong: no sums
# The numbers are compared with the probabilities, not with their sums.
# Message: Compare u with the sums of the probabilities


def draw(p, u):
    return (p <= u.unsqueeze(1)).sum(dim=1)


# %% wrong: one number
# One number serves all rows.
# Message: each has its own


def draw(p, u):
    return (p.cumsum(dim=1) <= u[0]).sum(dim=1)


# %% wrong: out of range
# Behind the sum a token is drawn that does not exist.
# Message: draw the last token with a probability above 0


def draw(p, u):
    return (p.cumsum(dim=1) <= u.unsqueeze(1)).sum(dim=1)


# %% wrong: own chance
# torch's own random numbers are drawn, not the given ones.
# Message: should be


def draw(p, u):
    generator = torch.Generator().manual_seed(0)
    return torch.multinomial(p, 1, generator=generator).squeeze(1)


# %% wrong: sorted
# The tokens are sorted by their probability first.
# Message: Keep the tokens in their order


def draw(p, u):
    p, order = p.sort(dim=1, descending=True, stable=True)
    k = (p.cumsum(dim=1) <= u.unsqueeze(1)).sum(dim=1, keepdim=True)
    return order.gather(1, k.clamp(max=p.shape[1] - 1)).squeeze(1)
