"""The state is multiplied by the matrix from the wrong side.

Message: W_hh acts on the wrong side
"""


def rnn_states(x, h_0, W_xh, W_hh, b):
    h, states = h_0, []
    for x_t in x.unbind(1):
        h = torch.tanh(x_t @ W_xh.T + h @ W_hh + b)
        states.append(h)
    return torch.stack(states, dim=1)
