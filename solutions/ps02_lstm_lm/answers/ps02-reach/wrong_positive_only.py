"""Only positive gradients are seen.

Message: A negative gradient is a gradient, too
"""


def gradient_reach(read, x):
    x = x.clone().requires_grad_()
    y = read(x)
    if not y.requires_grad:
        return [0] * len(x)
    reach = []
    for t in range(len(x)):
        [gradient] = torch.autograd.grad(y[t], x, retain_graph=True)
        seen = (gradient > 0).nonzero().flatten().tolist()
        reach.append(t - seen[0] + 1 if seen else 0)
    return reach
