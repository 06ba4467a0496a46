"""Written with backward and a gradient that is cleared each time."""


def gradient_reach(read, x):
    leaf = torch.tensor(x.tolist(), dtype=x.dtype, requires_grad=True)
    reach = []
    for t in range(len(x)):
        leaf.grad = None
        y = read(leaf)
        if y.requires_grad:
            y[t].backward()
        s = 0
        while leaf.grad is not None and s <= t and leaf.grad[s] == 0:
            s += 1
        reach.append(0 if leaf.grad is None else t - s + 1)
    return reach
