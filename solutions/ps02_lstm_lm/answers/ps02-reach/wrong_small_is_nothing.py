"""Small gradients are taken for none.

Message: only exactly 0 is none
"""


def gradient_reach(read, x):
    x = x.clone().requires_grad_()
    y = read(x)
    if not y.requires_grad:
        return [0] * len(x)
    reach = []
    for t in range(len(x)):
        [gradient] = torch.autograd.grad(y[t], x, retain_graph=True)
        seen = (gradient.abs() > 1e-6).nonzero().flatten().tolist()
        reach.append(t - seen[0] + 1 if seen else 0)
    return reach
