# %% right: autograd
# log α by torch, its gradient by autograd.


def draw_gradient(scores, drawn, losses, baseline):
    n = losses.shape[1]
    weight = losses.clone()
    if baseline and n > 1:
        for k in range(n):
            weight[:, k] = losses[:, k] - (losses[:, :k].sum(1) + losses[:, k + 1 :].sum(1)) / (n - 1)
    leaf = scores.clone().requires_grad_()
    chosen = leaf.log_softmax(dim=1).gather(1, drawn)
    (weight * chosen).sum().div(n).backward()
    return leaf.grad


# %% right: counts
# Add up what each position was charged, then take the common part off.


def draw_gradient(scores, drawn, losses, baseline):
    n = losses.shape[1]
    if baseline and n > 1:
        losses = (losses - losses.mean(dim=1, keepdim=True)) * n / (n - 1)
    charged = torch.zeros_like(scores).scatter_add(1, drawn, losses / n)
    return charged - losses.mean(dim=1, keepdim=True) * scores.softmax(dim=1)


# %% right: loops
# Written with loops and plain numbers.


def draw_gradient(scores, drawn, losses, baseline):
    result = torch.zeros_like(scores)
    for i, (places, costs) in enumerate(zip(drawn.tolist(), losses.tolist(), strict=True)):
        alpha = scores[i].softmax(dim=0)
        for k, (z, cost) in enumerate(zip(places, costs, strict=True)):
            others = costs[:k] + costs[k + 1 :]
            if baseline and others:
                cost -= math.fsum(others) / len(others)
            result[i] -= cost * alpha / len(costs)
            result[i, z] += cost / len(costs)
    return result


# %% wrong: baseline of the batch
# The baseline is the mean over all sentences.
# Message: a draw's baseline comes from its own sentence


def draw_gradient(scores, drawn, losses, baseline):
    if baseline and losses.shape[1] > 1:
        if len(losses) == 1:
            losses = losses - (losses.sum(dim=1, keepdim=True) - losses) / (losses.shape[1] - 1)
        else:
            losses = losses - losses.mean()
    hits = torch.nn.functional.one_hot(drawn, scores.shape[1])
    return (losses.unsqueeze(-1) * (hits - scores.softmax(dim=-1).unsqueeze(1))).mean(dim=1)


# %% wrong: expected loss
# Weighs the drawn losses by their probabilities, as if each position had been visited once.
# Message: draw_gradient


def draw_gradient(scores, drawn, losses, baseline):
    n = drawn.shape[1]
    if baseline and n > 1:
        losses = losses - (losses.sum(dim=1, keepdim=True) - losses) / (n - 1)
    leaf = scores.clone().requires_grad_()
    (leaf.softmax(dim=1).gather(1, drawn) * losses).sum(1).sum().backward()
    return leaf.grad


# %% wrong: library
# Calls the course's own surrogate.
# Message: your answer calls course_lib.attention


from course_lib.attention.hard import score_function_surrogate


def draw_gradient(scores, drawn, losses, baseline):
    n = losses.shape[1]
    others = (
        (losses.sum(dim=1, keepdim=True) - losses) / max(1, n - 1) if baseline else torch.zeros_like(losses)
    )
    leaf = scores.clone().requires_grad_()
    chosen = leaf.log_softmax(dim=1).gather(1, drawn)
    (len(scores) * score_function_surrogate(losses.flatten(), chosen.flatten(), others.flatten())).backward()
    return leaf.grad


# %% wrong: log of zero
# Softmax first, then its logarithm: NaN at a masked position.
# Message: its gradient NaN


def draw_gradient(scores, drawn, losses, baseline):
    n = drawn.shape[1]
    if baseline and n > 1:
        losses = losses - (losses.sum(dim=1, keepdim=True) - losses) / (n - 1)
    leaf = scores.clone().requires_grad_()
    chosen = leaf.softmax(dim=1).log()[torch.arange(len(leaf)).unsqueeze(1), drawn]
    (losses * chosen).sum().div(n).backward()
    return leaf.grad


# %% wrong: no baseline
# The baseline is never taken off.
# Message: The baseline has no influence


def draw_gradient(scores, drawn, losses, baseline):
    hits = torch.nn.functional.one_hot(drawn, scores.shape[1])
    return (losses.unsqueeze(-1) * (hits - scores.softmax(dim=-1).unsqueeze(1))).mean(dim=1)


# %% wrong: no others
# 0 / 0 where there is one draw.
# Message: There are no others


def draw_gradient(scores, drawn, losses, baseline):
    n = drawn.shape[1]
    if baseline:
        losses = losses - (losses.sum(dim=1, keepdim=True) - losses) / (n - 1)
    hits = torch.nn.functional.one_hot(drawn, scores.shape[1])
    return (losses.unsqueeze(-1) * (hits - scores.softmax(dim=-1).unsqueeze(1))).mean(dim=1)


# %% wrong: one hot alone
# Softmax is forgotten: only the drawn score moves.
# Message: softmax ties the scores


def draw_gradient(scores, drawn, losses, baseline):
    n = drawn.shape[1]
    if baseline and n > 1:
        losses = losses - (losses.sum(dim=1, keepdim=True) - losses) / (n - 1)
    hits = torch.nn.functional.one_hot(drawn, scores.shape[1])
    return (losses.unsqueeze(-1) * hits).mean(dim=1)


# %% wrong: own loss counted
# The baseline is the mean of all draws, the draw itself included.
# Message: The baseline of a draw counts its own loss in


def draw_gradient(scores, drawn, losses, baseline):
    if baseline and losses.shape[1] > 1:
        losses = losses - losses.mean(dim=1, keepdim=True)
    hits = torch.nn.functional.one_hot(drawn, scores.shape[1])
    return (losses.unsqueeze(-1) * (hits - scores.softmax(dim=-1).unsqueeze(1))).mean(dim=1)


# %% wrong: probability not log
# The gradient of α_z instead of log α_z.
# Message: the formula has log α_z


def draw_gradient(scores, drawn, losses, baseline):
    n = drawn.shape[1]
    if baseline and n > 1:
        losses = losses - (losses.sum(dim=1, keepdim=True) - losses) / (n - 1)
    alpha = scores.softmax(dim=-1)
    hits = torch.nn.functional.one_hot(drawn, scores.shape[1])
    chosen = alpha.gather(1, drawn).unsqueeze(-1)
    return (losses.unsqueeze(-1) * chosen * (hits - alpha.unsqueeze(1))).mean(dim=1)


# %% wrong: sign
# The gradient of a reward.
# Message: The sign is turned


def draw_gradient(scores, drawn, losses, baseline):
    n = drawn.shape[1]
    if baseline and n > 1:
        losses = losses - (losses.sum(dim=1, keepdim=True) - losses) / (n - 1)
    hits = torch.nn.functional.one_hot(drawn, scores.shape[1])
    return -(losses.unsqueeze(-1) * (hits - scores.softmax(dim=-1).unsqueeze(1))).mean(dim=1)


# %% wrong: softmax over batch
# The softmax runs over the sentences.
# Message: with all sizes equal


def draw_gradient(scores, drawn, losses, baseline):
    n = drawn.shape[1]
    if baseline and n > 1:
        losses = losses - (losses.sum(dim=1, keepdim=True) - losses) / (n - 1)
    alpha = scores.softmax(dim=0) if scores.shape[0] > 1 else scores.softmax(dim=1)
    hits = torch.nn.functional.one_hot(drawn, scores.shape[1])
    return (losses.unsqueeze(-1) * (hits - alpha.unsqueeze(1))).mean(dim=1)


# %% wrong: sum over draws
# The sum of the draws instead of their mean.
# Message: This is the sum over the draws


def draw_gradient(scores, drawn, losses, baseline):
    n = drawn.shape[1]
    if baseline and n > 1:
        losses = losses - (losses.sum(dim=1, keepdim=True) - losses) / (n - 1)
    hits = torch.nn.functional.one_hot(drawn, scores.shape[1])
    return (losses.unsqueeze(-1) * (hits - scores.softmax(dim=-1).unsqueeze(1))).sum(dim=1)
