"""One backward pass from the sum of all outputs serves all steps.

Message: for one output at a time
"""


def gradient_reach(read, x):
    x = x.clone().requires_grad_()
    y = read(x)
    if not y.requires_grad:
        return [0] * len(x)
    y.sum().backward()
    first = x.grad.nonzero().flatten().tolist()[0]
    return [max(0, t - first + 1) for t in range(len(x))]
