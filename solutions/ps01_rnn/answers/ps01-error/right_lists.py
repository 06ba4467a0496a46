"""Written with plain numbers."""


def gradient_error(n, g):
    n, g = n.flatten().tolist(), g.flatten().tolist()
    apart = math.dist(n, g)
    return apart / (math.hypot(*n) + math.hypot(*g)) if apart > 0 else 0.0
