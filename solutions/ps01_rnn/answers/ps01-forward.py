# %% right: joined
# Written with one matrix for input and state, joined.


def rnn_states(x, h_0, W_xh, W_hh, b):
    W, h, states = torch.cat([W_xh, W_hh], dim=1), h_0, []
    for t in range(x.shape[1]):
        h = torch.nn.functional.linear(torch.cat([x[:, t], h], dim=1), W, b).tanh()
        states += [h.unsqueeze(1)]
    return torch.cat(states, dim=1)


# %% right: two steps
# Written with the products of all inputs at once, before the loop.


def rnn_states(x, h_0, W_xh, W_hh, b):
    projected = torch.einsum("bti,hi->tbh", x, W_xh) + b
    states = []
    for a in projected:
        states.append(torch.tanh(a + (states[-1] if states else h_0) @ W_hh.T))
    return torch.stack(states).transpose(0, 1)


# %% wrong: backwards
# The sequence is read from its end.
# Message: The sequence is read from its end


def rnn_states(x, h_0, W_xh, W_hh, b):
    h, states = h_0, []
    for x_t in x.flip(1).unbind(1):
        h = torch.tanh(x_t @ W_xh.T + h @ W_hh.T + b)
        states.append(h)
    return torch.stack(states, dim=1)


# %% wrong: in place
# The caller's start state is overwritten.
# Message: changed the caller's h_0


def rnn_states(x, h_0, W_xh, W_hh, b):
    states = []
    for x_t in x.unbind(1):
        h_0[:] = torch.tanh(x_t @ W_xh.T + h_0 @ W_hh.T + b)
        states.append(h_0.clone())
    return torch.stack(states, dim=1)


# %% wrong: last state only
# Only the last state is returned.
# Message: expected shape (batch 1, time 2, hidden 1), got (1, 1)


def rnn_states(x, h_0, W_xh, W_hh, b):
    h = h_0
    for x_t in x.unbind(1):
        h = torch.tanh(x_t @ W_xh.T + h @ W_hh.T + b)
    return h


# %% wrong: library
# The library's network is asked.
# Message: The exercise asks for your own code


from course_lib.recurrent.bptt import Weights, forward


def rnn_states(x, h_0, W_xh, W_hh, b):
    weights = Weights(W_xh, W_hh, torch.zeros_like(W_hh), b, h_0)
    return forward(weights, x, torch.zeros(x.shape[:2], dtype=torch.long)).states


# %% wrong: no bias
# The bias is forgotten.
# Message: The bias b is missing


def rnn_states(x, h_0, W_xh, W_hh, b):
    h, states = h_0, []
    for x_t in x.unbind(1):
        h = torch.tanh(x_t @ W_xh.T + h @ W_hh.T)
        states.append(h)
    return torch.stack(states, dim=1)


# %% wrong: no tanh
# The network is linear.
# Message: The tanh is missing


def rnn_states(x, h_0, W_xh, W_hh, b):
    h, states = h_0, []
    for x_t in x.unbind(1):
        h = x_t @ W_xh.T + h @ W_hh.T + b
        states.append(h)
    return torch.stack(states, dim=1)


# %% wrong: not transposed
# The state is multiplied by the matrix from the wrong side.
# Message: W_hh acts on the wrong side


def rnn_states(x, h_0, W_xh, W_hh, b):
    h, states = h_0, []
    for x_t in x.unbind(1):
        h = torch.tanh(x_t @ W_xh.T + h @ W_hh + b)
        states.append(h)
    return torch.stack(states, dim=1)


# %% wrong: start ignored
# The start state is taken to be 0.
# Message: The start state h_0 is not used


def rnn_states(x, h_0, W_xh, W_hh, b):
    h, states = torch.zeros_like(h_0), []
    for x_t in x.unbind(1):
        h = torch.tanh(x_t @ W_xh.T + h @ W_hh.T + b)
        states.append(h)
    return torch.stack(states, dim=1)


# %% wrong: state not carried
# Every step starts from the start state.
# Message: it should start from the state before it


def rnn_states(x, h_0, W_xh, W_hh, b):
    return torch.stack([torch.tanh(x_t @ W_xh.T + h_0 @ W_hh.T + b) for x_t in x.unbind(1)], dim=1)


# %% wrong: time first
# The states are stacked with time in front.
# Message: two axes are swapped


def rnn_states(x, h_0, W_xh, W_hh, b):
    h, states = h_0, []
    for x_t in x.unbind(1):
        h = torch.tanh(x_t @ W_xh.T + h @ W_hh.T + b)
        states.append(h)
    return torch.stack(states)


# %% wrong: torch
# torch's own recurrent network is asked.
# Message: your answer calls torch's


def rnn_states(x, h_0, W_xh, W_hh, b):
    layer = torch.nn.RNN(x.shape[2], len(b), batch_first=True, dtype=x.dtype)
    parts = {"weight_ih_l0": W_xh, "weight_hh_l0": W_hh, "bias_ih_l0": b, "bias_hh_l0": torch.zeros_like(b)}
    return torch.func.functional_call(layer, parts, (x, h_0.unsqueeze(0)))[0]


# %% wrong: with start
# The states are shifted by one: the start state is among them, the last one is not.
# Message: The result starts with h_1; yours starts with h_0


def rnn_states(x, h_0, W_xh, W_hh, b):
    h, states = h_0, []
    for x_t in x.unbind(1):
        states.append(h)
        h = torch.tanh(x_t @ W_xh.T + h @ W_hh.T + b)
    return torch.stack(states, dim=1)
