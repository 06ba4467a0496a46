"""The first inputs are thrown away before the reservoir hears them.

Message: The reservoir must hear the first steps, too
"""


def echo_features(u, W_in, W, leak, washout):
    u = u[washout:]
    heard = torch.cat([torch.ones_like(u[:, :1]), u], dim=1)
    x, states = torch.zeros_like(W[0]), []
    for now in heard:
        x = (1 - leak) * x + leak * torch.tanh(W_in @ now + W @ x)
        states.append(x)
    return torch.cat([heard, torch.stack(states)], dim=1)
