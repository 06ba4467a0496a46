"""The reservoir does not hear the 1.

Message: The 1 in front of the input is missing
"""


def echo_features(u, W_in, W, leak, washout):
    heard = torch.cat([torch.ones_like(u[:, :1]), u], dim=1)
    x, states = torch.zeros_like(W[0]), []
    for now in u:
        x = (1 - leak) * x + leak * torch.tanh(W_in[:, 1:] @ now + W @ x)
        states.append(x)
    return torch.cat([heard, torch.stack(states)], dim=1)[washout:]
