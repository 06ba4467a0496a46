"""The features stand in another order.

Message: The features come in the order 1, u, x
"""


def echo_features(u, W_in, W, leak, washout):
    heard = torch.cat([torch.ones_like(u[:, :1]), u], dim=1)
    x, states = torch.zeros_like(W[0]), []
    for now in heard:
        x = (1 - leak) * x + leak * torch.tanh(W_in @ now + W @ x)
        states.append(x)
    return torch.cat([heard[:, :1], torch.stack(states), u], dim=1)[washout:]
