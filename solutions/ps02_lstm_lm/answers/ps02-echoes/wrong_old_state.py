"""Each input is paired with the state before it.

Message: The features of step n hold x(n), not x(n − 1)
"""


def echo_features(u, W_in, W, leak, washout):
    heard = torch.cat([torch.ones_like(u[:, :1]), u], dim=1)
    x, states = torch.zeros_like(W[0]), []
    for now in heard:
        states.append(x)
        x = (1 - leak) * x + leak * torch.tanh(W_in @ now + W @ x)
    return torch.cat([heard, torch.stack(states)], dim=1)[washout:]
