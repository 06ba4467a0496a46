"""An input is changed and the output watched: that shows the numbers' way, not the gradient's.

Message: The numbers cross the border, the gradient does not
"""


def gradient_reach(read, x):
    y = read(x)
    reach = [0] * len(x)
    for s in reversed(range(len(x))):
        changed = x.clone()
        changed[s] += 0.1
        for t in (read(changed) != y).nonzero().flatten().tolist():
            reach[t] = t - s + 1
    return reach
