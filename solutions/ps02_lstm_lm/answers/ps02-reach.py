# %% right: backward
# Written with backward and a gradient that is cleared each time.


def gradient_reach(read, x):
    leaf = torch.tensor(x.tolist(), dtype=x.dtype, requires_grad=True)
    reach = []
    for t in range(len(x)):
        leaf.grad = None
        y = read(leaf)
        if y.requires_grad:
            y[t].backward()
        s = 0
        while leaf.grad is not None and s <= t and leaf.grad[s] == 0:
            s += 1
        reach.append(0 if leaf.grad is None else t - s + 1)
    return reach


# %% right: marked for a while
# The caller's x itself is marked, and the mark taken off again.


def gradient_reach(read, x):
    def first_seen(t):
        x.requires_grad_().grad = None
        if read(x).requires_grad:
            read(x)[t].backward()
        slopes = [] if x.grad is None else x.grad.tolist()
        return next((s for s, slope in enumerate(slopes) if slope), t + 1)

    reach = [t + 1 - first_seen(t) for t in range(len(x))]
    x.requires_grad_(False).grad = None
    return reach


# %% right: jacobian
# Written with the whole Jacobian matrix at once.


def gradient_reach(read, x):
    jacobian = torch.autograd.functional.jacobian(read, x.clone())
    touched = (jacobian != 0).int()
    first = touched.argmax(dim=1)
    reach = torch.arange(len(x)) - first + 1
    return [int(n) if any_input else 0 for n, any_input in zip(reach, touched.any(dim=1), strict=True)]


# %% wrong: adding up
# The gradients of all steps so far add up.
# Message: the gradients of several add up


def gradient_reach(read, x):
    x = x.clone().requires_grad_()
    y = read(x)
    if not y.requires_grad:
        return [0] * len(x)
    reach = []
    for t in range(len(x)):
        y[t].backward(retain_graph=True)
        seen = x.grad.nonzero().flatten().tolist()
        reach.append(t - seen[0] + 1 if seen else 0)
    return reach


# %% wrong: gaps not counted
# The inputs with a gradient are counted, not those from the earliest one on.
# Message: inputs in between may have none


def gradient_reach(read, x):
    x = x.clone().requires_grad_()
    y = read(x)
    if not y.requires_grad:
        return [0] * len(x)
    return [int((torch.autograd.grad(y[t], x, retain_graph=True)[0] != 0).sum()) for t in range(len(x))]


# %% wrong: mark left behind
# The caller's x itself is marked, and stays so.
# Message: marks the caller's tensor


def gradient_reach(read, x):
    y = read(x.requires_grad_())
    if not y.requires_grad:
        return [0] * len(x)
    reach = []
    for t in range(len(x)):
        [gradient] = torch.autograd.grad(y[t], x, retain_graph=True)
        seen = gradient.nonzero().flatten().tolist()
        reach.append(t - seen[0] + 1 if seen else 0)
    return reach


# %% wrong: no history
# Numbers without history end in an error of torch.
# Message: An output without a history has no gradient


def gradient_reach(read, x):
    x = x.clone().requires_grad_()
    y = read(x)
    reach = []
    for t in range(len(x)):
        [gradient] = torch.autograd.grad(y[t], x, retain_graph=True)
        seen = gradient.nonzero().flatten().tolist()
        reach.append(t - seen[0] + 1 if seen else 0)
    return reach


# %% wrong: not itself
# The step's own input is not counted.
# Message: the step's own included


def gradient_reach(read, x):
    x = x.clone().requires_grad_()
    y = read(x)
    if not y.requires_grad:
        return [0] * len(x)
    reach = []
    for t in range(len(x)):
        [gradient] = torch.autograd.grad(y[t], x, retain_graph=True)
        seen = gradient.nonzero().flatten().tolist()
        reach.append(t - seen[0] if seen else 0)
    return reach


# %% wrong: perturbed
# An input is changed and the output watched: that shows the numbers' way, not the gradient's.
# Message: The numbers cross the border, the gradient does not


def gradient_reach(read, x):
    y = read(x)
    reach = [0] * len(x)
    for s in reversed(range(len(x))):
        changed = x.clone()
        changed[s] += 0.1
        for t in (read(changed) != y).nonzero().flatten().tolist():
            reach[t] = t - s + 1
    return reach


# %% wrong: positive only
# Only positive gradients are seen.
# Message: A negative gradient is a gradient, too


def gradient_reach(read, x):
    x = x.clone().requires_grad_()
    y = read(x)
    if not y.requires_grad:
        return [0] * len(x)
    reach = []
    for t in range(len(x)):
        [gradient] = torch.autograd.grad(y[t], x, retain_graph=True)
        seen = (gradient > 0).nonzero().flatten().tolist()
        reach.append(t - seen[0] + 1 if seen else 0)
    return reach


# %% wrong: small is nothing
# Small gradients are taken for none.
# Message: only exactly 0 is none


def gradient_reach(read, x):
    x = x.clone().requires_grad_()
    y = read(x)
    if not y.requires_grad:
        return [0] * len(x)
    reach = []
    for t in range(len(x)):
        [gradient] = torch.autograd.grad(y[t], x, retain_graph=True)
        seen = (gradient.abs() > 1e-6).nonzero().flatten().tolist()
        reach.append(t - seen[0] + 1 if seen else 0)
    return reach


# %% wrong: sum
# One backward pass from the sum of all outputs serves all steps.
# Message: for one output at a time


def gradient_reach(read, x):
    x = x.clone().requires_grad_()
    y = read(x)
    if not y.requires_grad:
        return [0] * len(x)
    y.sum().backward()
    first = x.grad.nonzero().flatten().tolist()[0]
    return [max(0, t - first + 1) for t in range(len(x))]
