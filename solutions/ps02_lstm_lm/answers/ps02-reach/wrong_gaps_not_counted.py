"""The inputs with a gradient are counted, not those from the earliest one on.

Message: inputs in between may have none
"""


def gradient_reach(read, x):
    x = x.clone().requires_grad_()
    y = read(x)
    if not y.requires_grad:
        return [0] * len(x)
    return [int((torch.autograd.grad(y[t], x, retain_graph=True)[0] != 0).sum()) for t in range(len(x))]
