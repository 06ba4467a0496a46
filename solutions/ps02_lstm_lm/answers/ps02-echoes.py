# %% right: matrix rows
# Written into a matrix, row by row, with the weights taken apart.


def echo_features(u, W_in, W, leak, washout):
    time, inputs = u.shape
    features = torch.zeros(time, 1 + inputs + len(W), dtype=u.dtype)
    x = torch.zeros(len(W), dtype=u.dtype)
    for n in range(time):
        x = x + leak * (torch.tanh(W_in[:, 0] + W_in[:, 1:] @ u[n] + x @ W.T) - x)
        features[n, 0] = 1
        features[n, 1 : 1 + inputs] = u[n]
        features[n, 1 + inputs :] = x
    return features[washout:]


# %% right: numpy
# Written with numpy and one joined matrix.


def echo_features(u, W_in, W, leak, washout):
    joined = np.hstack([W_in.numpy(), W.numpy()])
    x = np.zeros(len(W), dtype=joined.dtype)
    rows = []
    for n, now in enumerate(u.numpy()):
        seen = np.concatenate([[1], now])
        x = (1 - leak) * x + leak * np.tanh(joined @ np.concatenate([seen, x]))
        if n >= washout:
            rows.append(np.concatenate([seen, x]))
    return torch.tensor(np.array(rows), dtype=u.dtype)


# %% wrong: leak turned round
# The leak is the share of the old.
# Message: The leak is the share of the new


def echo_features(u, W_in, W, leak, washout):
    heard = torch.cat([torch.ones_like(u[:, :1]), u], dim=1)
    x, states = torch.zeros_like(W[0]), []
    for now in heard:
        x = leak * x + (1 - leak) * torch.tanh(W_in @ now + W @ x)
        states.append(x)
    return torch.cat([heard, torch.stack(states)], dim=1)[washout:]


# %% wrong: library
# The library's echo state network listens.
# Message: your answer calls course_lib.reservoir


from course_lib.reservoir import EchoStateNetwork


def echo_features(u, W_in, W, leak, washout):
    network = EchoStateNetwork(u.shape[1], 1, len(W), leak=leak, connections=1)
    network.W_in, network.W = W_in.double().numpy(), W.double().numpy()
    states = torch.tensor(network.listen(u.double().numpy())[0], dtype=u.dtype)
    return torch.cat([torch.ones_like(u[:, :1]), u, states], dim=1)[washout:]


# %% wrong: no bias
# The reservoir does not hear the 1.
# Message: The 1 in front of the input is missing


def echo_features(u, W_in, W, leak, washout):
    heard = torch.cat([torch.ones_like(u[:, :1]), u], dim=1)
    x, states = torch.zeros_like(W[0]), []
    for now in u:
        x = (1 - leak) * x + leak * torch.tanh(W_in[:, 1:] @ now + W @ x)
        states.append(x)
    return torch.cat([heard, torch.stack(states)], dim=1)[washout:]


# %% wrong: no leak
# The leak is forgotten.
# Message: The leak has no influence


def echo_features(u, W_in, W, leak, washout):
    heard = torch.cat([torch.ones_like(u[:, :1]), u], dim=1)
    x, states = torch.zeros_like(W[0]), []
    for now in heard:
        x = torch.tanh(W_in @ now + W @ x)
        states.append(x)
    return torch.cat([heard, torch.stack(states)], dim=1)[washout:]


# %% wrong: no tanh
# The reservoir is linear.
# Message: The tanh is missing


def echo_features(u, W_in, W, leak, washout):
    heard = torch.cat([torch.ones_like(u[:, :1]), u], dim=1)
    x, states = torch.zeros_like(W[0]), []
    for now in heard:
        x = (1 - leak) * x + leak * (W_in @ now + W @ x)
        states.append(x)
    return torch.cat([heard, torch.stack(states)], dim=1)[washout:]


# %% wrong: old state
# Each input is paired with the state before it.
# Message: The features of step n hold x(n), not x(n − 1)


def echo_features(u, W_in, W, leak, washout):
    heard = torch.cat([torch.ones_like(u[:, :1]), u], dim=1)
    x, states = torch.zeros_like(W[0]), []
    for now in heard:
        states.append(x)
        x = (1 - leak) * x + leak * torch.tanh(W_in @ now + W @ x)
    return torch.cat([heard, torch.stack(states)], dim=1)[washout:]


# %% wrong: order
# The features stand in another order.
# Message: The features come in the order 1, u, x


def echo_features(u, W_in, W, leak, washout):
    heard = torch.cat([torch.ones_like(u[:, :1]), u], dim=1)
    x, states = torch.zeros_like(W[0]), []
    for now in heard:
        x = (1 - leak) * x + leak * torch.tanh(W_in @ now + W @ x)
        states.append(x)
    return torch.cat([heard[:, :1], torch.stack(states), u], dim=1)[washout:]


# %% wrong: states only
# The readout sees the states only.
# Message: expected shape


def echo_features(u, W_in, W, leak, washout):
    heard = torch.cat([torch.ones_like(u[:, :1]), u], dim=1)
    x, states = torch.zeros_like(W[0]), []
    for now in heard:
        x = (1 - leak) * x + leak * torch.tanh(W_in @ now + W @ x)
        states.append(x)
    return torch.stack(states)[washout:]


# %% wrong: transposed
# The recurrent weights act from the wrong side.
# Message: W acts on the wrong side


def echo_features(u, W_in, W, leak, washout):
    heard = torch.cat([torch.ones_like(u[:, :1]), u], dim=1)
    x, states = torch.zeros_like(W[0]), []
    for now in heard:
        x = (1 - leak) * x + leak * torch.tanh(W_in @ now + x @ W)
        states.append(x)
    return torch.cat([heard, torch.stack(states)], dim=1)[washout:]


# %% wrong: washed out at the end
# The last features are thrown away.
# Message: The washout is at the start of the series


def echo_features(u, W_in, W, leak, washout):
    heard = torch.cat([torch.ones_like(u[:, :1]), u], dim=1)
    x, states = torch.zeros_like(W[0]), []
    for now in heard:
        x = (1 - leak) * x + leak * torch.tanh(W_in @ now + W @ x)
        states.append(x)
    return torch.cat([heard, torch.stack(states)], dim=1)[: len(u) - washout]


# %% wrong: washed out first
# The first inputs are thrown away before the reservoir hears them.
# Message: The reservoir must hear the first steps, too


def echo_features(u, W_in, W, leak, washout):
    u = u[washout:]
    heard = torch.cat([torch.ones_like(u[:, :1]), u], dim=1)
    x, states = torch.zeros_like(W[0]), []
    for now in heard:
        x = (1 - leak) * x + leak * torch.tanh(W_in @ now + W @ x)
        states.append(x)
    return torch.cat([heard, torch.stack(states)], dim=1)
