"""Numbers without history end in an error of torch.

Message: An output without a history has no gradient
"""


def gradient_reach(read, x):
    x = x.clone().requires_grad_()
    y = read(x)
    reach = []
    for t in range(len(x)):
        [gradient] = torch.autograd.grad(y[t], x, retain_graph=True)
        seen = gradient.nonzero().flatten().tolist()
        reach.append(t - seen[0] + 1 if seen else 0)
    return reach
