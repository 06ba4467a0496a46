"""Only the last state is returned.

Message: expected shape (batch 1, time 2, hidden 1), got (1, 1)
"""


def rnn_states(x, h_0, W_xh, W_hh, b):
    h = h_0
    for x_t in x.unbind(1):
        h = torch.tanh(x_t @ W_xh.T + h @ W_hh.T + b)
    return h
