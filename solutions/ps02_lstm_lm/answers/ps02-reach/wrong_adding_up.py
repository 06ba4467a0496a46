"""The gradients of all steps so far add up.

Message: the gradients of several add up
"""


def gradient_reach(read, x):
    x = x.clone().requires_grad_()
    y = read(x)
    if not y.requires_grad:
        return [0] * len(x)
    reach = []
    for t in range(len(x)):
        y[t].backward(retain_graph=True)
        seen = x.grad.nonzero().flatten().tolist()
        reach.append(t - seen[0] + 1 if seen else 0)
    return reach
