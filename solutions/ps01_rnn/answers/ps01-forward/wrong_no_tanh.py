"""The network is linear.

Message: The tanh is missing
"""


def rnn_states(x, h_0, W_xh, W_hh, b):
    h, states = h_0, []
    for x_t in x.unbind(1):
        h = x_t @ W_xh.T + h @ W_hh.T + b
        states.append(h)
    return torch.stack(states, dim=1)
