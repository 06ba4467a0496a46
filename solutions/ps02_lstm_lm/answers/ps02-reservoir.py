# %% right: numpy
# Written with numpy, by real and imaginary parts.


def scale_reservoir(W, radius):
    eigenvalues = np.linalg.eigvals(W.numpy())
    now = np.sqrt((eigenvalues.real**2 + eigenvalues.imag**2).max())
    if not now > 0:
        raise ValueError("a spectral radius of 0 cannot be scaled")
    return torch.from_numpy(W.numpy() / now * radius).to(W.dtype)


# %% right: powers
# Written with the growth of a high power of the matrix, multiplied by itself 40 times.


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


# %% wrong: in place
# The caller's matrix is changed.
# Message: your function changed the caller's W


def scale_reservoir(W, radius):
    now = torch.linalg.eigvals(W).abs().max()
    if now == 0:
        raise ValueError("cannot be scaled")
    W *= radius / now
    return W


# %% wrong: library
# The library's function is called.
# Message: your answer calls course_lib.recurrent.spectral


from course_lib.recurrent.spectral import with_spectral_radius


def scale_reservoir(W, radius):
    return with_spectral_radius(W, radius)


# %% wrong: nan
# A matrix without a radius is scaled all the same.
# Message: Where every eigenvalue is 0 there is nothing to scale


def scale_reservoir(W, radius):
    return W * (radius / torch.linalg.eigvals(W).abs().max())


# %% wrong: norm
# The matrix is divided by its 2-norm.
# Message: You divided by a norm of the matrix


def scale_reservoir(W, radius):
    now = torch.linalg.matrix_norm(W, ord=2)
    if torch.linalg.eigvals(W).abs().max() == 0:
        raise ValueError("cannot be scaled")
    return W * (radius / now)


# %% wrong: radius ignored
# The result always has the radius 1.
# Message: multiply by radius


def scale_reservoir(W, radius):
    now = torch.linalg.eigvals(W).abs().max()
    if now == 0:
        raise ValueError("cannot be scaled")
    return W / now


# %% wrong: real part
# The largest real part is taken.
# Message: largest real part


def scale_reservoir(W, radius):
    eigenvalues = torch.linalg.eigvals(W)
    if eigenvalues.abs().max() == 0:
        raise ValueError("cannot be scaled")
    return W * (radius / eigenvalues.real.max())


# %% wrong: root of squares
# The matrix is divided by the root of its sum of squares.
# Message: You divided by the root of the sum of squares


def scale_reservoir(W, radius):
    if torch.linalg.eigvals(W).abs().max() == 0:
        raise ValueError("cannot be scaled")
    return W * (radius / W.norm())


# %% wrong: symmetric
# The eigenvalues are computed as if the matrix were symmetric.
# Message: eigvalsh is for symmetric matrices


def scale_reservoir(W, radius):
    now = torch.linalg.eigvalsh(W).abs().max()
    if now == 0:
        raise ValueError("cannot be scaled")
    return W * (radius / now)


# %% wrong: width
# The rule for large random matrices is used for any: the radius is about σ √n.
# Message: You divided by the width of the weights


def scale_reservoir(W, radius):
    if torch.linalg.eigvals(W).abs().max() == 0:
        raise ValueError("cannot be scaled")
    return W * (radius / (W.std(correction=0) * len(W) ** 0.5))
