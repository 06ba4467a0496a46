"""Written with numpy and one joined matrix."""


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
