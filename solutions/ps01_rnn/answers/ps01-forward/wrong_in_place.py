"""The caller's start state is overwritten.

Message: changed the caller's h_0
"""


def rnn_states(x, h_0, W_xh, W_hh, b):
    states = []
    for x_t in x.unbind(1):
        h_0[:] = torch.tanh(x_t @ W_xh.T + h_0 @ W_hh.T + b)
        states.append(h_0.clone())
    return torch.stack(states, dim=1)
