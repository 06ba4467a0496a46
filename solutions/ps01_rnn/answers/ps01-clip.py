# %% right: joined
# Written with all numbers in one row.


def clip(gradients, threshold):
    found = [g for g in gradients if g is not None]
    norm = float(torch.cat([g.flatten() for g in found]).norm()) if found else 0.0
    if math.isnan(norm) or math.isinf(norm):
        raise ValueError("the gradients are not finite")
    factor = min(1.0, threshold / norm) if norm > 0 else 1.0
    for g in found:
        g *= factor
    return norm


# %% right: norm of norms
# Written with the norm of the norms.


def clip(gradients, threshold):
    norm = math.hypot(*(float(g.norm()) for g in gradients if g is not None))
    if not norm < math.inf:
        raise ValueError(norm)
    for g in gradients:
        if g is not None and norm > threshold:
            g.copy_(g * threshold / norm)
    return norm


# %% wrong: copies
# The list gets new tensors; those of the optimiser stay.
# Message: must change in place


def clip(gradients, threshold):
    norm = math.sqrt(sum(float(g.square().sum()) for g in gradients if g is not None))
    if norm > threshold:
        gradients[:] = [None if g is None else g * threshold / norm for g in gradients]
    return norm


# %% wrong: each alone
# Each tensor is clipped by its own norm.
# Message: yours clips each tensor by its own


def clip(gradients, threshold):
    total = 0.0
    for g in gradients:
        if g is not None:
            norm = float(g.norm())
            total += norm**2
            if norm > threshold:
                g.mul_(threshold / norm)
    return math.sqrt(total)


# %% wrong: each number
# Each number is cut.
# Message: That cuts each number, which changes the direction


def clip(gradients, threshold):
    found = [g for g in gradients if g is not None]
    norm = math.sqrt(sum(float(g.square().sum()) for g in found))
    if not math.isfinite(norm):
        raise ValueError(f"the norm is {norm}; allowed is a finite one")
    if norm > threshold:
        for g in found:
            g.clamp_(-threshold, threshold)
    return norm


# %% wrong: library
# The library's clipping is asked.
# Message: your answer calls course_lib.recurrent.gradients.clip_gradients


def clip(gradients, threshold):
    from course_lib.recurrent.gradients import clip_gradients

    holders = []
    for g in gradients:
        if g is not None:
            holders.append(torch.nn.Parameter(torch.zeros_like(g)))
            holders[-1].grad = g
    return clip_gradients(holders, threshold)


# %% wrong: nan slips through
# A norm that is NaN is compared with the threshold.
# Message: it slips through


def clip(gradients, threshold):
    found = [g for g in gradients if g is not None]
    norm = math.sqrt(sum(float(g.square().sum()) for g in found))
    if norm > threshold:
        for g in found:
            g.mul_(threshold / norm)
    return norm


# %% wrong: no root
# The root is forgotten.
# Message: A norm is the square root


def clip(gradients, threshold):
    found = [g for g in gradients if g is not None]
    norm = float(sum(float(g.square().sum()) for g in found))
    if not math.isfinite(norm):
        raise ValueError(f"the norm is {norm}; allowed is a finite one")
    if norm > threshold:
        for g in found:
            g.mul_(threshold / norm)
    return norm


# %% wrong: none
# An entry of None is not expected.
# Message: An entry of the list may be None


def clip(gradients, threshold):
    found = gradients
    norm = math.sqrt(sum(float(g.square().sum()) for g in found))
    if not math.isfinite(norm):
        raise ValueError(f"the norm is {norm}; allowed is a finite one")
    if norm > threshold:
        for g in found:
            g.mul_(threshold / norm)
    return norm


# %% wrong: norm after
# The norm after clipping is returned.
# Message: Return the norm before clipping


def clip(gradients, threshold):
    found = [g for g in gradients if g is not None]
    norm = math.sqrt(sum(float(g.square().sum()) for g in found))
    if not math.isfinite(norm):
        raise ValueError(f"the norm is {norm}; allowed is a finite one")
    if norm > threshold:
        for g in found:
            g.mul_(threshold / norm)
    return min(norm, threshold)


# %% wrong: scaled up
# Small gradients are scaled up to the threshold.
# Message: they are not scaled up


def clip(gradients, threshold):
    found = [g for g in gradients if g is not None]
    norm = math.sqrt(sum(float(g.square().sum()) for g in found))
    if not math.isfinite(norm):
        raise ValueError(f"the norm is {norm}; allowed is a finite one")
    if norm > 0:
        for g in found:
            g.mul_(threshold / norm)
    return norm


# %% wrong: sum of norms
# The norms of the tensors are added.
# Message: is not the sum of the norms


def clip(gradients, threshold):
    found = [g for g in gradients if g is not None]
    norm = float(sum(float(g.norm()) for g in found))
    if not math.isfinite(norm):
        raise ValueError(f"the norm is {norm}; allowed is a finite one")
    if norm > threshold:
        for g in found:
            g.mul_(threshold / norm)
    return norm


# %% wrong: torch
# torch's own clipping is asked.
# Message: your answer calls torch's clip_grad_norm_


def clip(gradients, threshold):
    holders = []
    for g in gradients:
        if g is not None:
            holders.append(torch.zeros_like(g))
            holders[-1].grad = g
    return float(torch.nn.utils.clip_grad_norm_(holders, threshold, error_if_nonfinite=True))


# %% wrong: torch in two
# torch's own clipping is asked, in its two halves.
# Message: your answer calls torch's _get_total_norm


def clip(gradients, threshold):
    holders = []
    for g in gradients:
        if g is not None:
            holders.append(torch.zeros_like(g))
            holders[-1].grad = g
    norm = torch.nn.utils.get_total_norm([holder.grad for holder in holders], error_if_nonfinite=True)
    torch.nn.utils.clip_grads_with_norm_(holders, threshold, norm)
    return float(norm)
