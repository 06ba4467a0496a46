"""The last features are thrown away.

Message: The washout is at the start of the series
"""


def echo_features(u, W_in, W, leak, washout):
    heard = torch.cat([torch.ones_like(u[:, :1]), u], dim=1)
    x, states = torch.zeros_like(W[0]), []
    for now in heard:
        x = (1 - leak) * x + leak * torch.tanh(W_in @ now + W @ x)
        states.append(x)
    return torch.cat([heard, torch.stack(states)], dim=1)[: len(u) - washout]
