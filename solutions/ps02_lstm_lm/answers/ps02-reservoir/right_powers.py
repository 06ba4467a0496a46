"""Written with the growth of a high power of the matrix, multiplied by itself 40 times."""


def scale_reservoir(W, radius):
    power, log_size, steps = W.double(), 0.0, 1
    for _ in range(40):
        size = float(power.norm())
        if size == 0:
            raise ValueError("a power of W is 0, and so are all eigenvalues")
        log_size = 2 * (log_size + math.log(size))
        power, steps = (power / size) @ (power / size), 2 * steps
    now = math.exp((log_size + math.log(float(power.norm()))) / steps)
    return W * (radius / now)
