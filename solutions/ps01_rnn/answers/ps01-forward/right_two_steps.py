"""Written with the products of all inputs at once, before the loop."""


def rnn_states(x, h_0, W_xh, W_hh, b):
    projected = torch.einsum("bti,hi->tbh", x, W_xh) + b
    states = []
    for a in projected:
        states.append(torch.tanh(a + (states[-1] if states else h_0) @ W_hh.T))
    return torch.stack(states).transpose(0, 1)
