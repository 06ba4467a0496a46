"""The tensor is flattened by view, and the copy of a turned one gets lost.

Message: index by row and column
"""


def numerical_gradient(loss, w, epsilon=1e-5):
    moved = w.clone(memory_format=torch.preserve_format)
    gradient = torch.zeros(w.numel(), dtype=w.dtype)
    for i in range(w.numel()):
        values = []
        for side in (1, -1):
            moved.copy_(w)
            moved.view(-1)[i] += side * epsilon
            values.append(float(loss(moved)))
        gradient[i] = (values[0] - values[1]) / (2 * epsilon)
    return gradient.view(w.shape)
