# %% right: loops
# Written with loops: one function of two vectors, applied to every pair.


def luong_scores(states, h, kind, W=None, v=None):
    scores = {
        "dot": lambda s, k: (s * k).sum(),
        "general": lambda s, k: (s[:, None] * W * k).sum(),
        "concat": lambda s, k: (v * torch.tanh((W * torch.cat([s, k])).sum(dim=1))).sum(),
    }
    if kind not in scores:
        raise ValueError(f"no such kind: {kind}")
    rows = [
        [[scores[kind](s, k) for k in keys] for s in queries[1:]]
        for queries, keys in zip(states, h, strict=True)
    ]
    return torch.stack([torch.stack([torch.stack(row) for row in sentence]) for sentence in rows])


# %% right: split matrix
# Written with bmm; concat splits W into the part for s and the part for h.


def luong_scores(states, h, kind, W=None, v=None):
    s, keys = states[:, 1:].contiguous(), h.transpose(1, 2)
    match kind:
        case "dot":
            return torch.bmm(s, keys)
        case "general":
            return torch.bmm(s, torch.matmul(W, keys))
        case "concat":
            of_s, of_h = W.split([s.shape[-1], h.shape[-1]], dim=1)
            hidden = torch.tanh((s @ of_s.T)[:, :, None] + (h @ of_h.T)[:, None])
            return torch.einsum("btsa,a->bts", hidden, v)
    raise ValueError(f"kind {kind!r} is not one of Luong's")


# %% wrong: concat reversed
# The encoder state comes first in the concatenation.
# Message: The order is [s; h]


def luong_scores(states, h, kind, W=None, v=None):
    s = states[:, 1:]
    if kind == "dot":
        return s @ h.transpose(1, 2)
    if kind == "general":
        return s @ W @ h.transpose(1, 2)
    if kind == "concat":
        left = s.unsqueeze(2).expand(-1, -1, h.shape[1], -1)
        right = h.unsqueeze(1).expand(-1, s.shape[1], -1, -1)
        pairs = torch.cat([right, left], dim=-1)
        return torch.tanh(pairs @ W.T) @ v
    raise ValueError(kind)


# %% wrong: concat without tanh
# The concat score has no tanh.
# Message: The tanh is missing


def luong_scores(states, h, kind, W=None, v=None):
    s = states[:, 1:]
    if kind == "dot":
        return s @ h.transpose(1, 2)
    if kind == "general":
        return s @ W @ h.transpose(1, 2)
    if kind == "concat":
        left = s.unsqueeze(2).expand(-1, -1, h.shape[1], -1)
        right = h.unsqueeze(1).expand(-1, s.shape[1], -1, -1)
        pairs = torch.cat([left, right], dim=-1)
        return (pairs @ W.T) @ v
    raise ValueError(kind)


# %% wrong: concat without v
# The hidden layer is summed instead of weighed by v.
# Message: The product with v is missing


def luong_scores(states, h, kind, W=None, v=None):
    s = states[:, 1:]
    if kind == "dot":
        return s @ h.transpose(1, 2)
    if kind == "general":
        return s @ W @ h.transpose(1, 2)
    if kind == "concat":
        left = s.unsqueeze(2).expand(-1, -1, h.shape[1], -1)
        right = h.unsqueeze(1).expand(-1, s.shape[1], -1, -1)
        pairs = torch.cat([left, right], dim=-1)
        return torch.tanh(pairs @ W.T).sum(dim=-1)
    raise ValueError(kind)


# %% wrong: general transposed
# W is applied to the wrong side, which runs whenever it is square.
# Message: W acts on the wrong side


def luong_scores(states, h, kind, W=None, v=None):
    s = states[:, 1:]
    if kind == "dot":
        return s @ h.transpose(1, 2)
    if kind == "general":
        return s @ (W.T if W.shape[0] == W.shape[1] else W) @ h.transpose(1, 2)
    if kind == "concat":
        left = s.unsqueeze(2).expand(-1, -1, h.shape[1], -1)
        right = h.unsqueeze(1).expand(-1, s.shape[1], -1, -1)
        pairs = torch.cat([left, right], dim=-1)
        return torch.tanh(pairs @ W.T) @ v
    raise ValueError(kind)


# %% wrong: general with tanh
# The general score gets a tanh.
# Message: There is no tanh in the general score


def luong_scores(states, h, kind, W=None, v=None):
    s = states[:, 1:]
    if kind == "dot":
        return s @ h.transpose(1, 2)
    if kind == "general":
        return torch.tanh(s @ W @ h.transpose(1, 2))
    if kind == "concat":
        left = s.unsqueeze(2).expand(-1, -1, h.shape[1], -1)
        right = h.unsqueeze(1).expand(-1, s.shape[1], -1, -1)
        pairs = torch.cat([left, right], dim=-1)
        return torch.tanh(pairs @ W.T) @ v
    raise ValueError(kind)


# %% wrong: library
# The library's three attentions score, one target step at a time.
# Message: your answer calls course_lib.attention.scores.


from course_lib.attention import ConcatAttention, DotAttention, GeneralAttention


def luong_scores(states, h, kind, W=None, v=None):
    query, key = states.shape[2], h.shape[2]
    if kind == "dot":
        attention = DotAttention()
    elif kind == "general":
        attention = GeneralAttention(query, key)
        attention.W.weight.data = W
    elif kind == "concat":
        attention = ConcatAttention(query, key, len(v))
        attention.W.weight.data, attention.v.weight.data = W, v.unsqueeze(0)
    else:
        raise ValueError(f"kind is {kind!r}; allowed are 'dot', 'general', 'concat'")
    keys = attention.project(h)
    return torch.stack([attention.score(s, keys) for s in states[:, 1:].unbind(1)], dim=1)


# %% wrong: previous state
# The previous decoder state asks, as in Bahdanau's score.
# Message: Luong asks with the current one


def luong_scores(states, h, kind, W=None, v=None):
    s = states[:, :-1]
    if kind == "dot":
        return s @ h.transpose(1, 2)
    if kind == "general":
        return s @ W @ h.transpose(1, 2)
    if kind == "concat":
        left = s.unsqueeze(2).expand(-1, -1, h.shape[1], -1)
        right = h.unsqueeze(1).expand(-1, s.shape[1], -1, -1)
        pairs = torch.cat([left, right], dim=-1)
        return torch.tanh(pairs @ W.T) @ v
    raise ValueError(kind)


# %% wrong: scaled dot
# The dot product is divided by √d, as in the Transformer.
# Message: A factor 1/√d belongs to the scaled dot product


def luong_scores(states, h, kind, W=None, v=None):
    s = states[:, 1:]
    if kind == "dot":
        return s @ h.transpose(1, 2) / s.shape[-1] ** 0.5
    if kind == "general":
        return s @ W @ h.transpose(1, 2)
    if kind == "concat":
        left = s.unsqueeze(2).expand(-1, -1, h.shape[1], -1)
        right = h.unsqueeze(1).expand(-1, s.shape[1], -1, -1)
        pairs = torch.cat([left, right], dim=-1)
        return torch.tanh(pairs @ W.T) @ v
    raise ValueError(kind)


# %% wrong: unknown kind accepted
# An unknown kind silently falls back to dot.
# Message: An unknown kind should end in a ValueError


def luong_scores(states, h, kind, W=None, v=None):
    s = states[:, 1:]
    if kind == "dot":
        return s @ h.transpose(1, 2)
    if kind == "general":
        return s @ W @ h.transpose(1, 2)
    if kind == "concat":
        left = s.unsqueeze(2).expand(-1, -1, h.shape[1], -1)
        right = h.unsqueeze(1).expand(-1, s.shape[1], -1, -1)
        pairs = torch.cat([left, right], dim=-1)
        return torch.tanh(pairs @ W.T) @ v
    return s @ h.transpose(1, 2)


# %% wrong: no grad
# The scores are computed where no graph is kept, so nothing can be trained.
# Message: Gradients reach the states and the weights


@torch.no_grad()
def luong_scores(states, h, kind, W=None, v=None):
    s = states[:, 1:]
    if kind == "dot":
        return s @ h.transpose(1, 2)
    if kind == "general":
        return s @ W @ h.transpose(1, 2)
    if kind == "concat":
        query, key = W[:, : s.shape[-1]], W[:, s.shape[-1] :]
        return torch.tanh((s @ query.T).unsqueeze(2) + (h @ key.T).unsqueeze(1)) @ v
    raise ValueError(kind)
