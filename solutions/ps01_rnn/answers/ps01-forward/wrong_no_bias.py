"""The bias is forgotten.

Message: The bias b is missing
"""


def rnn_states(x, h_0, W_xh, W_hh, b):
    h, states = h_0, []
    for x_t in x.unbind(1):
        h = torch.tanh(x_t @ W_xh.T + h @ W_hh.T)
        states.append(h)
    return torch.stack(states, dim=1)
