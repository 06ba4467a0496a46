"""The step's own input is not counted.

Message: the step's own included
"""


def gradient_reach(read, x):
    x = x.clone().requires_grad_()
    y = read(x)
    if not y.requires_grad:
        return [0] * len(x)
    reach = []
    for t in range(len(x)):
        [gradient] = torch.autograd.grad(y[t], x, retain_graph=True)
        seen = gradient.nonzero().flatten().tolist()
        reach.append(t - seen[0] if seen else 0)
    return reach
