# %% right: loops
# Written memory by memory, with the sentences that there are.


def hop(u, m, c, keep):
    p, after = torch.zeros_like(m[..., 0]), u.clone()
    for b in range(len(u)):
        places = keep[b].nonzero().flatten()
        if len(places):
            p[b, places] = (m[b, places] @ u[b]).softmax(dim=0)
            after[b] += p[b, places] @ c[b, places]
    return [p, after]


# %% right: by exponentials
# Written with the largest score taken off first, and a mask that multiplies.


def hop(u, m, c, keep):
    scores = (m @ u.unsqueeze(-1)).squeeze(-1)
    top = torch.where(keep, scores, -torch.inf).amax(dim=1, keepdim=True)
    parts = torch.where(keep, (scores - top).exp(), 0.0)
    whole = parts.sum(dim=1, keepdim=True)
    p = parts / torch.where(whole > 0, whole, 1.0)
    return p, u + (p.unsqueeze(-1) * c).sum(dim=1)


# %% wrong: no mask
# Places without a sentence are looked at like all others.
# Message: The mask is missing.


def hop(u, m, c, keep):
    p = torch.einsum("bd,bsd->bs", u, m).softmax(dim=-1)
    return p, u + torch.einsum("bs,bsd->bd", p, c)


# %% wrong: mask after the softmax
# The weights are masked in place of the scores.
# Message: Masking after the softmax takes weight away


def hop(u, m, c, keep):
    p = torch.einsum("bd,bsd->bs", u, m).softmax(dim=-1) * keep
    return p, u + torch.einsum("bs,bsd->bd", p, c)


# %% wrong: score 0
# The scores are multiplied by the mask.
# Message: A score of 0 is no mask: exp(0) = 1.


def hop(u, m, c, keep):
    p = (torch.einsum("bd,bsd->bs", u, m) * keep).softmax(dim=-1)
    return p, u + torch.einsum("bs,bsd->bd", p, c)


# %% wrong: mask the other way
# The sentences are masked, and the empty places kept.
# Message: You masked the sentences to keep


def hop(u, m, c, keep):
    p = torch.einsum("bd,bsd->bs", u, m).masked_fill(keep, -torch.inf).softmax(dim=-1).nan_to_num()
    return p, u + torch.einsum("bs,bsd->bd", p, c)


# %% wrong: the question is lost
# What was read takes the place of the question.
# Message: What was read is added to u.


def hop(u, m, c, keep):
    p = torch.einsum("bd,bsd->bs", u, m).masked_fill(~keep, -torch.inf).softmax(dim=-1).nan_to_num()
    return p, torch.einsum("bs,bsd->bd", p, c)


# %% wrong: reads what it addresses
# The sentences are read as m.
# Message: Sentences are read as c, not as m.


def hop(u, m, c, keep):
    p = torch.einsum("bd,bsd->bs", u, m).masked_fill(~keep, -torch.inf).softmax(dim=-1).nan_to_num()
    return p, u + torch.einsum("bs,bsd->bd", p, m)


# %% wrong: a large number for infinity
# Empty places get a large negative score: one that others may go below, and all alike where nothing else is.
# Message: Without a sentence all weights are 0 and u stays.


def hop(u, m, c, keep):
    p = torch.einsum("bd,bsd->bs", u, m).masked_fill(~keep, -1e9).softmax(dim=-1)
    return p, u + torch.einsum("bs,bsd->bd", p, c)


# %% wrong: not low enough
# A large negative score masks, but scores may be lower.
# Message: No number is small enough to mask with


def hop(u, m, c, keep):
    p = torch.einsum("bd,bsd->bs", u, m).masked_fill(~keep, -1e9).softmax(dim=-1) * keep
    return p, u + torch.einsum("bs,bsd->bd", p, c)


# %% wrong: exponentials as they stand
# The exponential of a large score is infinite.
# Message: The exponential of a large number is infinite


def hop(u, m, c, keep):
    parts = torch.einsum("bd,bsd->bs", u, m).exp() * keep
    p = parts / parts.sum(dim=1, keepdim=True).clamp(min=1e-300)
    return p, u + torch.einsum("bs,bsd->bd", p, c)


# %% wrong: no sentence
# A memory without a sentence gives NaN.
# Message: Without a sentence all weights are 0 and u stays.


def hop(u, m, c, keep):
    p = torch.einsum("bd,bsd->bs", u, m).masked_fill(~keep, -torch.inf).softmax(dim=-1)
    return p, u + torch.einsum("bs,bsd->bd", p, c)
