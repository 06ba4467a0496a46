# %% right: columns
# Written one sequence at a time, with columns as on paper.


def flow_norms(states, d_last, W_hh):
    norms = torch.zeros(states.shape[:2], dtype=states.dtype)
    for i, d_h in enumerate(d_last):
        for t in range(states.shape[1] - 1, -1, -1):
            norms[i, t] = torch.sqrt((d_h * d_h).sum())
            d_h = W_hh.T @ ((1 - states[i, t] ** 2) * d_h)
    return norms


# %% right: jacobians
# Written with the Jacobian of each step.


def flow_norms(states, d_last, W_hh):
    flow = [d_last]
    for t in range(states.shape[1] - 1, 0, -1):
        jacobian = (1 - states[:, t].square()).unsqueeze(2) * W_hh
        flow.append(torch.einsum("bi,bij->bj", flow[-1], jacobian))
    return torch.linalg.vector_norm(torch.stack(flow[::-1], dim=1), dim=2)


# %% wrong: after the tanh
# The norms are those of the gradient before the tanh.
# Message: Those are the norms of ∂L/∂a


def flow_norms(states, d_last, W_hh):
    d_h, norms = d_last, []
    for h in states.flip(1).unbind(1):
        d_a = d_h * (1 - h**2)
        norms.insert(0, d_a.norm(dim=-1))
        d_h = d_a @ W_hh
    return torch.stack(norms, dim=1)


# %% wrong: batch joined
# One norm for the whole batch.
# Message: Each sequence has a norm of its own


def flow_norms(states, d_last, W_hh):
    d_h, norms = d_last, []
    for h in states.flip(1).unbind(1):
        norms.insert(0, d_h.norm().expand(len(d_h)))
        d_h = (d_h * (1 - h**2)) @ W_hh
    return torch.stack(norms, dim=1)


# %% wrong: in place
# The caller's gradient is overwritten.
# Message: changed the caller's d_last


def flow_norms(states, d_last, W_hh):
    d_h, norms = d_last, []
    for h in states.flip(1).unbind(1):
        norms.insert(0, d_h.norm(dim=-1))
        d_h[:] = (d_h * (1 - h**2)) @ W_hh
    return torch.stack(norms, dim=1)


# %% wrong: library
# The library's way back is asked, with a readout that copies the state.
# Message: your answer calls course_lib.recurrent.bptt.backward


from course_lib.recurrent.bptt import Forward, Weights, backward


def flow_norms(states, d_last, W_hh):
    batch, time, size = states.shape
    targets = torch.zeros(batch, time, dtype=torch.int64)
    answers = torch.nn.functional.one_hot(targets, size).to(states.dtype)
    answers[:, -1] += d_last
    one = torch.eye(size, dtype=states.dtype)
    weights = Weights(one[:, :1], W_hh, one, one[0], torch.zeros_like(d_last))
    return backward(weights, states[..., :1], targets, Forward(d_last.sum(), states, answers)).flow.norm(
        dim=-1
    )


# %% wrong: no slope
# The tanh is forgotten.
# Message: The slope of the tanh is missing


def flow_norms(states, d_last, W_hh):
    d_h, norms = d_last, []
    for _ in range(states.shape[1]):
        norms.insert(0, d_h.norm(dim=-1))
        d_h = d_h @ W_hh
    return torch.stack(norms, dim=1)


# %% wrong: not transposed
# The matrix acts on the way back as on the way there.
# Message: On the way back the transpose of W_hh acts


def flow_norms(states, d_last, W_hh):
    d_h, norms = d_last, []
    for h in states.flip(1).unbind(1):
        norms.insert(0, d_h.norm(dim=-1))
        d_h = (d_h * (1 - h**2)) @ W_hh.T
    return torch.stack(norms, dim=1)


# %% wrong: order of the way back
# The norms come out from the last step to the first.
# Message: The steps are in the order of the way back


def flow_norms(states, d_last, W_hh):
    d_h, norms = d_last, []
    for h in states.flip(1).unbind(1):
        norms.append(d_h.norm(dim=-1))
        d_h = (d_h * (1 - h**2)) @ W_hh
    return torch.stack(norms, dim=1)


# %% wrong: slope of the earlier step
# The slope is that of the earlier state.
# Message: The gradient passes the tanh of the later step


def flow_norms(states, d_last, W_hh):
    d_h, norms = d_last, [d_last.norm(dim=-1)]
    for h in states[:, :-1].flip(1).unbind(1):
        d_h = (d_h * (1 - h**2)) @ W_hh
        norms.insert(0, d_h.norm(dim=-1))
    return torch.stack(norms, dim=1)


# %% wrong: squared
# The root is forgotten.
# Message: Those are squared norms


def flow_norms(states, d_last, W_hh):
    d_h, norms = d_last, []
    for h in states.flip(1).unbind(1):
        norms.insert(0, d_h.square().sum(dim=-1))
        d_h = (d_h * (1 - h**2)) @ W_hh
    return torch.stack(norms, dim=1)


# %% wrong: autograd turned on again
# Autograd is turned on in the answer and goes back through the step.
# Message: your answer calls torch's


def flow_norms(states, d_last, W_hh):
    with torch.inference_mode(False):
        d_h, norms = d_last.clone(), []
        for t in reversed(range(states.shape[1])):
            norms.insert(0, d_h.norm(dim=-1))
            before = torch.zeros_like(d_h, requires_grad=True)
            after = torch.tanh(torch.atanh(states[:, t].clone()) + before @ W_hh.clone().T)
            (d_h,) = torch.autograd.grad((after * d_h).sum(), before)
        return torch.stack(norms, dim=1)
