"""Written with the rows of a diagonal matrix as steps."""


def numerical_gradient(loss, w, epsilon=1e-5):
    steps = epsilon * torch.eye(w.numel(), dtype=w.dtype)
    slopes = [
        (float(loss(w + step.reshape(w.shape))) - float(loss(w - step.reshape(w.shape)))) / epsilon / 2
        for step in steps
    ]
    return torch.tensor(slopes, dtype=w.dtype).reshape(w.shape)
