# %% right: loops
# Written with sums that grow on the way back.


def bptt(x, targets, h_0, states, probabilities, W_hh, W_hy):
    batch, time, size = x.shape
    hidden = W_hh.shape[0]
    d_W_xh, d_W_hh = torch.zeros(hidden, size, dtype=x.dtype), torch.zeros_like(W_hh)
    d_W_hy, d_b = torch.zeros_like(W_hy), torch.zeros(hidden, dtype=x.dtype)
    d_h = torch.zeros_like(h_0)
    for t in range(time - 1, -1, -1):
        d_z = probabilities[:, t].clone()
        d_z[torch.arange(batch), targets[:, t]] -= 1
        d_W_hy += d_z.T @ states[:, t]
        d_a = (d_h + d_z @ W_hy) * (1 - states[:, t] * states[:, t])
        d_W_xh += d_a.T @ x[:, t]
        d_W_hh += d_a.T @ (states[:, t - 1] if t > 0 else h_0)
        d_b += d_a.sum(dim=0)
        d_h = d_a @ W_hh
    return d_W_xh, d_W_hh, d_W_hy, d_b, d_h


# %% right: one sequence at a time
# Written one sequence at a time, with columns as on paper.


def bptt(x, targets, h_0, states, probabilities, W_hh, W_hy):
    totals, starts = None, []
    for i in range(len(x)):
        history = torch.vstack([h_0[i], states[i]])
        later = torch.zeros_like(h_0[i])
        for t in range(x.shape[1] - 1, -1, -1):
            d_z = probabilities[i, t] - torch.eye(len(W_hy), dtype=x.dtype)[targets[i, t]]
            d_a = (W_hy.T @ d_z + later) * (1 - history[t + 1] ** 2)
            parts = (d_a.outer(x[i, t]), d_a.outer(history[t]), d_z.outer(history[t + 1]), d_a)
            totals = parts if totals is None else tuple(a + b for a, b in zip(totals, parts, strict=True))
            later = W_hh.T @ d_a
        starts.append(later)
    return (*totals, torch.stack(starts))


# %% wrong: autograd
# Autograd does the work.
# Message: your answer calls torch's


def bptt(x, targets, h_0, states, probabilities, W_hh, W_hy):
    with torch.enable_grad():
        leaf = states.clone().requires_grad_()
        log_p = (leaf @ W_hy.T).log_softmax(dim=-1)
        loss = -log_p.gather(2, targets.unsqueeze(2)).sum()
        (d_h,) = torch.autograd.grad(loss, leaf)
    d_a = d_h * (1 - states**2)
    d_z = probabilities - torch.nn.functional.one_hot(targets, probabilities.shape[-1])
    d_W_xh = torch.einsum("bth,bti->hi", d_a, x)
    d_W_hh = torch.einsum("bth,btk->hk", d_a, states)
    return d_W_xh, d_W_hh, torch.einsum("btc,bth->ch", d_z, states), d_a.sum(dim=(0, 1)), h_0


# %% wrong: in place
# The probabilities of the caller are overwritten.
# Message: changed the caller's probabilities


def bptt(x, targets, h_0, states, probabilities, W_hh, W_hy):
    d_z = probabilities
    d_z -= torch.nn.functional.one_hot(targets, probabilities.shape[-1])
    before = torch.cat([h_0.unsqueeze(1), states[:, :-1]], dim=1)
    from_later, d_a = torch.zeros_like(h_0), []
    for t in reversed(range(x.shape[1])):
        d_h = d_z[:, t] @ W_hy + from_later
        d_a.insert(0, d_h * (1 - states[:, t] ** 2))
        from_later = d_a[0] @ W_hh
    d_a = torch.stack(d_a, dim=1)
    d_W_xh = torch.einsum("bth,bti->hi", d_a, x)
    d_W_hh = torch.einsum("bth,btk->hk", d_a, before)
    d_W_hy = torch.einsum("btc,bth->ch", d_z, states)
    return d_W_xh, d_W_hh, d_W_hy, d_a.sum(dim=(0, 1)), from_later


# %% wrong: library
# The library goes back through time.
# Message: The exercise asks for your own code


from course_lib.recurrent.bptt import Forward, Weights, backward


def bptt(x, targets, h_0, states, probabilities, W_hh, W_hy):
    nothing = torch.zeros(len(W_hh), x.shape[2], dtype=x.dtype)
    weights = Weights(nothing, W_hh, W_hy, torch.zeros_like(W_hh[0]), h_0)
    return tuple(backward(weights, x, targets, Forward(x.sum(), states, probabilities)).gradients)


# %% wrong: mean
# The loss is averaged over the steps.
# Message: The loss is summed over the steps, not averaged


def bptt(x, targets, h_0, states, probabilities, W_hh, W_hy):
    d_z = probabilities - torch.nn.functional.one_hot(targets, probabilities.shape[-1])
    d_z = d_z / x.shape[1]
    before = torch.cat([h_0.unsqueeze(1), states[:, :-1]], dim=1)
    from_later, d_a = torch.zeros_like(h_0), []
    for t in reversed(range(x.shape[1])):
        d_h = d_z[:, t] @ W_hy + from_later
        d_a.insert(0, d_h * (1 - states[:, t] ** 2))
        from_later = d_a[0] @ W_hh
    d_a = torch.stack(d_a, dim=1)
    d_W_xh = torch.einsum("bth,bti->hi", d_a, x)
    d_W_hh = torch.einsum("bth,btk->hk", d_a, before)
    d_W_hy = torch.einsum("btc,bth->ch", d_z, states)
    return d_W_xh, d_W_hh, d_W_hy, d_a.sum(dim=(0, 1)), from_later


# %% wrong: no slope
# The tanh is passed as if it were linear.
# Message: The slope of the tanh is missing


def bptt(x, targets, h_0, states, probabilities, W_hh, W_hy):
    d_z = probabilities - torch.nn.functional.one_hot(targets, probabilities.shape[-1])
    before = torch.cat([h_0.unsqueeze(1), states[:, :-1]], dim=1)
    from_later, d_a = torch.zeros_like(h_0), []
    for t in reversed(range(x.shape[1])):
        d_h = d_z[:, t] @ W_hy + from_later
        d_a.insert(0, d_h)
        from_later = d_a[0] @ W_hh
    d_a = torch.stack(d_a, dim=1)
    d_W_xh = torch.einsum("bth,bti->hi", d_a, x)
    d_W_hh = torch.einsum("bth,btk->hk", d_a, before)
    d_W_hy = torch.einsum("btc,bth->ch", d_z, states)
    return d_W_xh, d_W_hh, d_W_hy, d_a.sum(dim=(0, 1)), from_later


# %% wrong: no target
# The probabilities themselves are sent back.
# Message: yours forgets the target


def bptt(x, targets, h_0, states, probabilities, W_hh, W_hy):
    d_z = probabilities
    before = torch.cat([h_0.unsqueeze(1), states[:, :-1]], dim=1)
    from_later, d_a = torch.zeros_like(h_0), []
    for t in reversed(range(x.shape[1])):
        d_h = d_z[:, t] @ W_hy + from_later
        d_a.insert(0, d_h * (1 - states[:, t] ** 2))
        from_later = d_a[0] @ W_hh
    d_a = torch.stack(d_a, dim=1)
    d_W_xh = torch.einsum("bth,bti->hi", d_a, x)
    d_W_hh = torch.einsum("bth,btk->hk", d_a, before)
    d_W_hy = torch.einsum("btc,bth->ch", d_z, states)
    return d_W_xh, d_W_hh, d_W_hy, d_a.sum(dim=(0, 1)), from_later


# %% wrong: not transposed
# The recurrent matrix acts on the way back as on the way there.
# Message: On the way back the transpose of W_hh acts


def bptt(x, targets, h_0, states, probabilities, W_hh, W_hy):
    d_z = probabilities - torch.nn.functional.one_hot(targets, probabilities.shape[-1])
    before = torch.cat([h_0.unsqueeze(1), states[:, :-1]], dim=1)
    from_later, d_a = torch.zeros_like(h_0), []
    for t in reversed(range(x.shape[1])):
        d_h = d_z[:, t] @ W_hy + from_later
        d_a.insert(0, d_h * (1 - states[:, t] ** 2))
        from_later = d_a[0] @ W_hh.T
    d_a = torch.stack(d_a, dim=1)
    d_W_xh = torch.einsum("bth,bti->hi", d_a, x)
    d_W_hh = torch.einsum("bth,btk->hk", d_a, before)
    d_W_hy = torch.einsum("btc,bth->ch", d_z, states)
    return d_W_xh, d_W_hh, d_W_hy, d_a.sum(dim=(0, 1)), from_later


# %% wrong: nothing from later
# Every step is treated as if it were the last.
# Message: Nothing comes from later steps


def bptt(x, targets, h_0, states, probabilities, W_hh, W_hy):
    d_z = probabilities - torch.nn.functional.one_hot(targets, probabilities.shape[-1])
    before = torch.cat([h_0.unsqueeze(1), states[:, :-1]], dim=1)
    from_later, d_a = torch.zeros_like(h_0), []
    for t in reversed(range(x.shape[1])):
        d_h = d_z[:, t] @ W_hy
        d_a.insert(0, d_h * (1 - states[:, t] ** 2))
        from_later = d_a[0] @ W_hh
    d_a = torch.stack(d_a, dim=1)
    d_W_xh = torch.einsum("bth,bti->hi", d_a, x)
    d_W_hh = torch.einsum("bth,btk->hk", d_a, before)
    d_W_hy = torch.einsum("btc,bth->ch", d_z, states)
    return d_W_xh, d_W_hh, d_W_hy, d_a.sum(dim=(0, 1)), from_later


# %% wrong: slope not passed on
# The gradient goes to the step before without the slope.
# Message: the slope of the tanh belongs to it


def bptt(x, targets, h_0, states, probabilities, W_hh, W_hy):
    d_z = probabilities - torch.nn.functional.one_hot(targets, probabilities.shape[-1])
    before = torch.cat([h_0.unsqueeze(1), states[:, :-1]], dim=1)
    from_later, d_a = torch.zeros_like(h_0), []
    for t in reversed(range(x.shape[1])):
        d_h = d_z[:, t] @ W_hy + from_later
        d_a.insert(0, d_h * (1 - states[:, t] ** 2))
        from_later = d_h @ W_hh
    d_a = torch.stack(d_a, dim=1)
    d_W_xh = torch.einsum("bth,bti->hi", d_a, x)
    d_W_hh = torch.einsum("bth,btk->hk", d_a, before)
    d_W_hy = torch.einsum("btc,bth->ch", d_z, states)
    return d_W_xh, d_W_hh, d_W_hy, d_a.sum(dim=(0, 1)), from_later


# %% wrong: slope of a
# The slope is computed from the state as if it were the sigmoid or a.
# Message: The slope of the tanh is 1 − h², not 1 − h


def bptt(x, targets, h_0, states, probabilities, W_hh, W_hy):
    d_z = probabilities - torch.nn.functional.one_hot(targets, probabilities.shape[-1])
    before = torch.cat([h_0.unsqueeze(1), states[:, :-1]], dim=1)
    from_later, d_a = torch.zeros_like(h_0), []
    for t in reversed(range(x.shape[1])):
        d_h = d_z[:, t] @ W_hy + from_later
        d_a.insert(0, d_h * (1 - states[:, t]))
        from_later = d_a[0] @ W_hh
    d_a = torch.stack(d_a, dim=1)
    d_W_xh = torch.einsum("bth,bti->hi", d_a, x)
    d_W_hh = torch.einsum("bth,btk->hk", d_a, before)
    d_W_hy = torch.einsum("btc,bth->ch", d_z, states)
    return d_W_xh, d_W_hh, d_W_hy, d_a.sum(dim=(0, 1)), from_later


# %% wrong: start without weights
# The gradient by the start state is that of the first sum.
# Message: there is one more factor: W_hh


def bptt(x, targets, h_0, states, probabilities, W_hh, W_hy):
    d_z = probabilities - torch.nn.functional.one_hot(targets, probabilities.shape[-1])
    before = torch.cat([h_0.unsqueeze(1), states[:, :-1]], dim=1)
    from_later, d_a = torch.zeros_like(h_0), []
    for t in reversed(range(x.shape[1])):
        d_h = d_z[:, t] @ W_hy + from_later
        d_a.insert(0, d_h * (1 - states[:, t] ** 2))
        from_later = d_a[0] @ W_hh
    d_a = torch.stack(d_a, dim=1)
    d_W_xh = torch.einsum("bth,bti->hi", d_a, x)
    d_W_hh = torch.einsum("bth,btk->hk", d_a, before)
    d_W_hy = torch.einsum("btc,bth->ch", d_z, states)
    return d_W_xh, d_W_hh, d_W_hy, d_a.sum(dim=(0, 1)), d_a[:, 0]


# %% wrong: state of the step
# The recurrent weights get the state of the step, not the one before it.
# Message: W_hh multiplies the state before


def bptt(x, targets, h_0, states, probabilities, W_hh, W_hy):
    d_z = probabilities - torch.nn.functional.one_hot(targets, probabilities.shape[-1])
    from_later, d_a = torch.zeros_like(h_0), []
    for t in reversed(range(x.shape[1])):
        d_h = d_z[:, t] @ W_hy + from_later
        d_a.insert(0, d_h * (1 - states[:, t] ** 2))
        from_later = d_a[0] @ W_hh
    d_a = torch.stack(d_a, dim=1)
    d_W_xh = torch.einsum("bth,bti->hi", d_a, x)
    d_W_hh = torch.einsum("bth,btk->hk", d_a, states)
    d_W_hy = torch.einsum("btc,bth->ch", d_z, states)
    return d_W_xh, d_W_hh, d_W_hy, d_a.sum(dim=(0, 1)), from_later


# %% wrong: zero start
# The state before the first step is taken to be 0.
# Message: The first step has a state before it, too


def bptt(x, targets, h_0, states, probabilities, W_hh, W_hy):
    d_z = probabilities - torch.nn.functional.one_hot(targets, probabilities.shape[-1])
    before = torch.cat([torch.zeros_like(h_0).unsqueeze(1), states[:, :-1]], dim=1)
    from_later, d_a = torch.zeros_like(h_0), []
    for t in reversed(range(x.shape[1])):
        d_h = d_z[:, t] @ W_hy + from_later
        d_a.insert(0, d_h * (1 - states[:, t] ** 2))
        from_later = d_a[0] @ W_hh
    d_a = torch.stack(d_a, dim=1)
    d_W_xh = torch.einsum("bth,bti->hi", d_a, x)
    d_W_hh = torch.einsum("bth,btk->hk", d_a, before)
    d_W_hy = torch.einsum("btc,bth->ch", d_z, states)
    return d_W_xh, d_W_hh, d_W_hy, d_a.sum(dim=(0, 1)), from_later


# %% wrong: autograd turned on again
# Autograd is turned on in the answer.
# Message: your answer calls torch's


def bptt(x, targets, h_0, states, probabilities, W_hh, W_hy):
    with torch.inference_mode(False):
        x, targets, states, W_hh, W_hy = (part.clone() for part in (x, targets, states, W_hh, W_hy))
        h_0, W_hh, W_hy = (part.clone().requires_grad_() for part in (h_0, W_hh, W_hy))
        W_xh = torch.zeros(len(W_hh), x.shape[-1], dtype=x.dtype, requires_grad=True)
        b = torch.zeros(len(W_hh), dtype=x.dtype, requires_grad=True)
        h, before, log_p = h_0, h_0.detach(), []
        for t in range(x.shape[1]):
            known = torch.atanh(states[:, t]) - before @ W_hh.detach().T
            h = torch.tanh(known + x[:, t] @ W_xh.T + b + h @ W_hh.T)
            before = states[:, t]
            log_p.append((h @ W_hy.T).log_softmax(dim=-1))
        loss = -torch.stack(log_p, dim=1).gather(2, targets.unsqueeze(2)).sum()
        return torch.autograd.grad(loss, (W_xh, W_hh, W_hy, b, h_0))


# %% right: a named tuple
# The five gradients come as a tuple of a named kind.


def bptt(x, targets, h_0, states, probabilities, W_hh, W_hy):
    from collections import namedtuple

    d_z = probabilities - torch.nn.functional.one_hot(targets, probabilities.shape[-1])
    result = {name: 0 for name in ("W_xh", "W_hh", "W_hy", "b", "h_0")}
    back = torch.zeros_like(h_0)
    for t in range(x.shape[1] - 1, -1, -1):
        error = (d_z[:, t] @ W_hy + back) * (1 - states[:, t] ** 2)
        back = result["h_0"] = error @ W_hh
        result["b"] = result["b"] + error.sum(dim=0)
        result["W_xh"] = result["W_xh"] + error.T @ x[:, t]
        result["W_hh"] = result["W_hh"] + error.T @ (states[:, t - 1] if t else h_0)
        result["W_hy"] = result["W_hy"] + d_z[:, t].T @ states[:, t]
    return namedtuple("Gradients", result)(**result)
