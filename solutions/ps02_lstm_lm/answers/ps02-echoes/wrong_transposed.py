"""The recurrent weights act from the wrong side.

Message: W acts on the wrong side
"""


def echo_features(u, W_in, W, leak, washout):
    heard = torch.cat([torch.ones_like(u[:, :1]), u], dim=1)
    x, states = torch.zeros_like(W[0]), []
    for now in heard:
        x = (1 - leak) * x + leak * torch.tanh(W_in @ now + x @ W)
        states.append(x)
    return torch.cat([heard, torch.stack(states)], dim=1)[washout:]
