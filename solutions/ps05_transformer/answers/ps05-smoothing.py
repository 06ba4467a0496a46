# %% right: loops
# Written with loops: one real position at a time, one token at a time.


def smoothed_loss(logits, target, pad, epsilon):
    vocabulary, losses = logits.shape[-1], []
    for scores, tokens in zip(logits, target, strict=True):
        for logit, token in zip(scores, tokens.tolist(), strict=True):
            if token == pad:
                continue
            log_p = torch.log_softmax(logit, dim=0)
            for v in range(vocabulary):
                if v != pad:
                    share = 1 - epsilon if v == token else epsilon / (vocabulary - 2)
                    losses.append(-share * log_p[v])
    return torch.stack(losses).sum() / int((target != pad).sum())


# %% right: two terms
# Written as two terms: the true token, and all others together.


def smoothed_loss(logits, target, pad, epsilon):
    log_p = logits - logits.logsumexp(dim=-1, keepdim=True)
    truth = log_p.gather(-1, target.unsqueeze(-1)).squeeze(-1)
    kept = torch.arange(logits.shape[-1]) != pad
    others = log_p[..., kept].sum(dim=-1) - truth
    each = -(1 - epsilon) * truth - epsilon / (logits.shape[-1] - 2) * others
    return each[target != pad].mean()


# %% wrong: divergence
# The divergence of q from p: the entropy of q is taken away.
# Message: the loss here is the cross-entropy


def smoothed_loss(logits, target, pad, epsilon):
    real, kept = target != pad, torch.arange(logits.shape[-1]) != pad
    log_p, truth = logits.log_softmax(dim=-1)[real], target[real].unsqueeze(1)
    q = torch.full_like(log_p, epsilon / (log_p.shape[1] - 2)).scatter(1, truth, 1 - epsilon)[:, kept]
    return torch.nn.functional.kl_div(log_p[:, kept], q, reduction="sum") / real.sum()


# %% wrong: divided by vocabulary
# The doubt is divided by the size of the vocabulary.
# Message: You divided ε by V


def smoothed_loss(logits, target, pad, epsilon):
    real = target != pad
    log_p, truth = logits.log_softmax(dim=-1)[real], target[real].unsqueeze(1)
    q = torch.full_like(log_p, epsilon / log_p.shape[1]).scatter(1, truth, 1 - epsilon)
    return -(q * log_p)[:, torch.arange(log_p.shape[1]) != pad].sum() / real.sum()


# %% wrong: log of softmax
# The logarithm of a softmax that may have become 0.
# Message: use log_softmax


def smoothed_loss(logits, target, pad, epsilon):
    real = target != pad
    log_p, truth = logits.softmax(dim=-1).log()[real], target[real].unsqueeze(1)
    q = torch.full_like(log_p, epsilon / (log_p.shape[1] - 2)).scatter(1, truth, 1 - epsilon)
    return -(q * log_p)[:, torch.arange(log_p.shape[1]) != pad].sum() / real.sum()


# %% wrong: mean of means
# Each sentence is averaged first, so that a word of a short sentence weighs more.
# Message: You averaged each sentence first


def smoothed_loss(logits, target, pad, epsilon):
    means = []
    for scores, tokens in zip(logits, target, strict=True):
        real = tokens != pad
        log_p, truth = scores.log_softmax(dim=-1)[real], tokens[real].unsqueeze(1)
        q = torch.full_like(log_p, epsilon / (log_p.shape[1] - 2)).scatter(1, truth, 1 - epsilon)
        means.append(-(q * log_p)[:, torch.arange(log_p.shape[1]) != pad].sum() / real.sum())
    return torch.stack(means).mean()


# %% wrong: no doubt
# The doubt is forgotten.
# Message: There is no doubt in it


def smoothed_loss(logits, target, pad, epsilon):
    return torch.nn.functional.cross_entropy(logits.flatten(0, 1), target.flatten(), ignore_index=pad)


# %% wrong: pad shares
# Padding gets a share of the doubt.
# Message: Pad gets a share of the doubt


def smoothed_loss(logits, target, pad, epsilon):
    real = target != pad
    log_p = logits.log_softmax(dim=-1)[real]
    q = torch.full_like(log_p, epsilon / (log_p.shape[1] - 1))
    q = q.scatter(1, target[real].unsqueeze(1), 1 - epsilon)
    return -(q * log_p).sum() / real.sum()


# %% wrong: padding counted
# The sum is divided by all positions, padding included.
# Message: You divided by all positions; padding is none


def smoothed_loss(logits, target, pad, epsilon):
    real = target != pad
    log_p, truth = logits.log_softmax(dim=-1)[real], target[real].unsqueeze(1)
    q = torch.full_like(log_p, epsilon / (log_p.shape[1] - 2)).scatter(1, truth, 1 - epsilon)
    return -(q * log_p)[:, torch.arange(log_p.shape[1]) != pad].sum() / target.numel()


# %% wrong: torch
# torch's own label smoothing, which shares the doubt with all tokens.
# Message: That is torch's label_smoothing


def smoothed_loss(logits, target, pad, epsilon):
    return torch.nn.functional.cross_entropy(
        logits.flatten(0, 1), target.flatten(), ignore_index=pad, label_smoothing=epsilon
    )


# %% wrong: true token shares
# The true token keeps a share of the doubt.
# Message: The true token gets a share of the doubt


def smoothed_loss(logits, target, pad, epsilon):
    real = target != pad
    log_p = logits.log_softmax(dim=-1)[real]
    q = torch.full_like(log_p, epsilon / (log_p.shape[1] - 1))
    q = q.scatter_add(1, target[real].unsqueeze(1), torch.full((len(q), 1), 1 - epsilon, dtype=q.dtype))
    return -(q * log_p)[:, torch.arange(log_p.shape[1]) != pad].sum() / real.sum()


# %% wrong: zero times infinity
# Padding stays in the sum with q = 0, and 0 times -inf is NaN.
# Message: leave pad out of the sum


def smoothed_loss(logits, target, pad, epsilon):
    real = target != pad
    log_p, truth = logits.log_softmax(dim=-1)[real], target[real].unsqueeze(1)
    q = torch.full_like(log_p, epsilon / (log_p.shape[1] - 2)).scatter(1, truth, 1 - epsilon)
    q[:, pad] = 0.0
    return -(q * log_p).sum() / real.sum()
