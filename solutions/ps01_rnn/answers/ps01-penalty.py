# %% right: loops
# Written with loops over sequences and steps.


def penalty_and_gradient(W_hh, errors, slopes):
    penalty, gradient = W_hh.new_zeros(()), torch.zeros_like(W_hh)
    for error, slope in zip(errors, slopes, strict=True):
        for k in range(len(error) - 1):
            came = error[k + 1].norm()
            if came < 1e-10:
                continue
            v = slope[k] * (W_hh.T @ error[k + 1])
            gap = v.norm() / came - 1
            penalty = penalty + gap**2
            if v.norm() > 0:
                gradient = gradient + 2 * gap / came * torch.outer(error[k + 1], slope[k] * v / v.norm())
    return penalty / len(errors), gradient / len(errors)


# %% right: unit errors
# Written with errors of length 1, so that the ratio is the norm of v.


def penalty_and_gradient(W_hh, errors, slopes):
    size = errors[:, 1:].norm(dim=-1, keepdim=True)
    unit = torch.where(size > 1e-10, errors[:, 1:] / size, torch.zeros_like(size))
    v = slopes[:, :-1] * (unit @ W_hh)
    ratio = v.norm(dim=-1, keepdim=True)
    gap = (ratio - 1) * (size > 1e-10)
    by_v = torch.where(ratio > 0, 2 * gap * v / ratio, torch.zeros_like(v))
    gradient = unit.flatten(0, 1).T @ (by_v * slopes[:, :-1]).flatten(0, 1)
    return (gap**2).sum() / len(errors), gradient / len(errors)


# %% wrong: by autograd
# Autograd is asked for the gradient.
# Message: your answer calls torch's


def penalty_and_gradient(W_hh, errors, slopes):
    W = W_hh.clone().requires_grad_()
    v = slopes[:, :-1] * (errors[:, 1:] @ W)
    ratio = v.norm(dim=-1) / errors[:, 1:].norm(dim=-1)
    penalty = (ratio - 1).square().sum() / len(errors)
    penalty.backward()
    return penalty.detach(), W.grad


# %% wrong: dead errors
# Nothing is done where the error has died.
# Message: A step whose error is below 1e-10 adds nothing


def penalty_and_gradient(W_hh, errors, slopes):
    later, slope = errors[:, 1:], slopes[:, :-1]
    v = slope * (later @ W_hh)
    before, after = v.norm(dim=-1), later.norm(dim=-1)
    gap = before / after - 1
    factor = 2 * gap / (after * before.where(before > 0, 1.0))
    gradient = torch.einsum("bt,bti,btj->ij", factor, later, v * slope)
    return gap.square().sum() / len(errors), gradient / len(errors)


# %% wrong: library
# The library's penalty is asked, and its gradient by differences.
# Message: your answer calls course_lib.recurrent.gradients.vanishing_penalty


from course_lib.recurrent.gradients import vanishing_penalty


def penalty_and_gradient(W_hh, errors, slopes):
    gradient = torch.zeros_like(W_hh)
    for place in np.ndindex(*W_hh.shape):
        step = torch.zeros_like(W_hh)
        step[place] = 1e-6
        up, down = (vanishing_penalty(W_hh + change, errors, slopes) for change in (step, -step))
        gradient[place] = (up - down) / 2e-6
    return vanishing_penalty(W_hh, errors, slopes), gradient


# %% wrong: no two
# The 2 of the square is lost.
# Message: The 2 of the square is missing


def penalty_and_gradient(W_hh, errors, slopes):
    later, slope = errors[:, 1:], slopes[:, :-1]
    v = slope * (later @ W_hh)
    before, after = v.norm(dim=-1), later.norm(dim=-1)
    alive = after > 1e-10
    after = after.where(alive, 1.0)
    gap = (before / after - 1) * alive
    factor = gap / (after * before.where(before > 0, 1.0))
    gradient = torch.einsum("bt,bti,btj->ij", factor, later, v * slope)
    return gap.square().sum() / len(errors), gradient / len(errors)


# %% wrong: not divided
# The norm of v is compared with 1, whatever came in.
# Message: The norm of v is divided by the norm of the error that came in


def penalty_and_gradient(W_hh, errors, slopes):
    later, slope = errors[:, 1:], slopes[:, :-1]
    v = slope * (later @ W_hh)
    size = v.norm(dim=-1)
    gap = (size - 1) * (later.norm(dim=-1) > 1e-10)
    factor = 2 * gap / size.where(size > 0, 1.0)
    gradient = torch.einsum("bt,bti,btj->ij", factor, later, v * slope)
    return gap.square().sum() / len(errors), gradient / len(errors)


# %% wrong: not transposed
# The matrix acts on the way back as on the way there.
# Message: On the way back the transpose of W_hh acts


def penalty_and_gradient(W_hh, errors, slopes):
    later, slope = errors[:, 1:], slopes[:, :-1]
    v = slope * (later @ W_hh.T)
    before, after = v.norm(dim=-1), later.norm(dim=-1)
    alive = after > 1e-10
    after = after.where(alive, 1.0)
    gap = (before / after - 1) * alive
    factor = 2 * gap / (after * before.where(before > 0, 1.0))
    gradient = torch.einsum("bt,bti,btj->ij", factor, later, v * slope)
    return gap.square().sum() / len(errors), gradient / len(errors)


# %% wrong: slope of the later step
# The slope is that of the later step.
# Message: yours is that of step k + 1


def penalty_and_gradient(W_hh, errors, slopes):
    later, slope = errors[:, 1:], slopes[:, 1:]
    v = slope * (later @ W_hh)
    before, after = v.norm(dim=-1), later.norm(dim=-1)
    alive = after > 1e-10
    after = after.where(alive, 1.0)
    gap = (before / after - 1) * alive
    factor = 2 * gap / (after * before.where(before > 0, 1.0))
    gradient = torch.einsum("bt,bti,btj->ij", factor, later, v * slope)
    return gap.square().sum() / len(errors), gradient / len(errors)


# %% wrong: slope once
# The slope is forgotten on the way from v to the weight.
# Message: The slope is missing on the way from v to the weight


def penalty_and_gradient(W_hh, errors, slopes):
    later, slope = errors[:, 1:], slopes[:, :-1]
    v = slope * (later @ W_hh)
    before, after = v.norm(dim=-1), later.norm(dim=-1)
    alive = after > 1e-10
    after = after.where(alive, 1.0)
    gap = (before / after - 1) * alive
    factor = 2 * gap / (after * before.where(before > 0, 1.0))
    gradient = torch.einsum("bt,bti,btj->ij", factor, later, v)
    return gap.square().sum() / len(errors), gradient / len(errors)


# %% wrong: squared norms
# Squared norms are compared.
# Message: Those are squared norms


def penalty_and_gradient(W_hh, errors, slopes):
    later, slope = errors[:, 1:], slopes[:, :-1]
    v = slope * (later @ W_hh)
    before, after = v.norm(dim=-1), later.norm(dim=-1)
    alive = after > 1e-10
    after = after.where(alive, 1.0)
    gap = ((before / after) ** 2 - 1) * alive
    factor = 2 * gap / (after * before.where(before > 0, 1.0))
    gradient = torch.einsum("bt,bti,btj->ij", factor, later, v * slope)
    return gap.square().sum() / len(errors), gradient / len(errors)


# %% wrong: summed over sequences
# The penalty is summed over the sequences.
# Message: It is the mean over the sequences; yours is the sum


def penalty_and_gradient(W_hh, errors, slopes):
    later, slope = errors[:, 1:], slopes[:, :-1]
    v = slope * (later @ W_hh)
    before, after = v.norm(dim=-1), later.norm(dim=-1)
    alive = after > 1e-10
    after = after.where(alive, 1.0)
    gap = (before / after - 1) * alive
    factor = 2 * gap / (after * before.where(before > 0, 1.0))
    gradient = torch.einsum("bt,bti,btj->ij", factor, later, v * slope)
    return gap.square().sum(), gradient


# %% wrong: transposed
# The gradient is transposed.
# Message: That is the transpose


def penalty_and_gradient(W_hh, errors, slopes):
    later, slope = errors[:, 1:], slopes[:, :-1]
    v = slope * (later @ W_hh)
    before, after = v.norm(dim=-1), later.norm(dim=-1)
    alive = after > 1e-10
    after = after.where(alive, 1.0)
    gap = (before / after - 1) * alive
    factor = 2 * gap / (after * before.where(before > 0, 1.0))
    gradient = torch.einsum("bt,bti,btj->ji", factor, later, v * slope)
    return gap.square().sum() / len(errors), gradient / len(errors)


# %% wrong: zero v
# Nothing is done where v is 0.
# Message: Where v is 0 the norm has no derivative


def penalty_and_gradient(W_hh, errors, slopes):
    later, slope = errors[:, 1:], slopes[:, :-1]
    v = slope * (later @ W_hh)
    before, after = v.norm(dim=-1), later.norm(dim=-1)
    alive = after > 1e-10
    after = after.where(alive, 1.0)
    gap = (before / after - 1) * alive
    factor = 2 * gap / (after * before)
    gradient = torch.einsum("bt,bti,btj->ij", factor, later, v * slope)
    return gap.square().sum() / len(errors), gradient / len(errors)


# %% wrong: small errors
# Small errors count as dead.
# Message: Only an error below 1e-10 has died


def penalty_and_gradient(W_hh, errors, slopes):
    later, slope = errors[:, 1:], slopes[:, :-1]
    v = slope * (later @ W_hh)
    before, after = v.norm(dim=-1), later.norm(dim=-1)
    alive = after > 1e-3
    after = after.where(alive, 1.0)
    gap = (before / after - 1) * alive
    factor = 2 * gap / (after * before.where(before > 0, 1.0))
    gradient = torch.einsum("bt,bti,btj->ij", factor, later, v * slope)
    return gap.square().sum() / len(errors), gradient / len(errors)


# %% wrong: autograd turned on again
# Autograd is turned on in the answer.
# Message: your answer calls torch's


def penalty_and_gradient(W_hh, errors, slopes):
    with torch.inference_mode(False):
        W = W_hh.clone().requires_grad_()
        later, slope = errors[:, 1:].clone(), slopes[:, :-1].clone()
        squares = (slope * (later @ W)).square().sum(dim=-1)
        sizes = later.norm(dim=-1)
        ratio = squares.where(squares > 0, 1.0).sqrt().where(squares > 0, 0.0) / sizes.where(
            sizes > 1e-10, 1.0
        )
        penalty = ((ratio - 1).square() * (sizes > 1e-10)).sum() / len(errors)
        return penalty.detach(), torch.autograd.grad(penalty, W)[0]


# %% right: a list
# The two parts come as a list.


def penalty_and_gradient(W_hh, errors, slopes):
    penalty, gradient = torch.zeros((), dtype=W_hh.dtype), torch.zeros_like(W_hh)
    for error, slope in zip(errors[:, 1:].flatten(0, 1), slopes[:, :-1].flatten(0, 1), strict=True):
        v, size = slope * (W_hh.T @ error), error.norm()
        if size > 1e-10:
            gap, length = v.norm() / size - 1, v.norm()
            penalty = penalty + gap**2
            if length > 0:
                gradient = gradient + 2 * gap / size * torch.outer(error, slope * v / length)
    return [penalty / len(errors), gradient / len(errors)]
