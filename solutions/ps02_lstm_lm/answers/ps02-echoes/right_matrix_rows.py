"""Written into a matrix, row by row, with the weights taken apart."""


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
