# %% right: lists
# Written with plain numbers.


def gradient_error(n, g):
    n, g = n.flatten().tolist(), g.flatten().tolist()
    apart = math.dist(n, g)
    return apart / (math.hypot(*n) + math.hypot(*g)) if apart > 0 else 0.0


# %% right: nan to zero
# Written with the quotient first, and 0 in the place of 0 / 0.


def gradient_error(n, g):
    quotient = torch.linalg.vector_norm(n - g) / (torch.linalg.vector_norm(n) + torch.linalg.vector_norm(g))
    return quotient.nan_to_num(0.0).item()


# %% wrong: absolute
# The difference is not divided.
# Message: divide by the sizes


def gradient_error(n, g):
    return float((n - g).norm())


# %% wrong: cosine
# The angle alone is compared.
# Message: 1 minus the cosine, which forgets lengths


def gradient_error(n, g):
    return float(1 - (n * g).sum() / (n.norm() * g.norm()))


# %% wrong: largest
# The largest difference of a single number.
# Message: That is the largest difference of one number


def gradient_error(n, g):
    return float((n - g).abs().max())


# %% wrong: matrix norm
# The norm of a matrix is taken row by row.
# Message: your code raised


def gradient_error(n, g):
    size = n.norm(dim=-1) + g.norm(dim=-1)
    return 0.0 if bool((size == 0).all()) else float((n - g).norm(dim=-1) / size)


# %% wrong: of one
# The difference is divided by the size of one.
# Message: divide by the sum of both


def gradient_error(n, g):
    size = float(n.norm())
    return float((n - g).norm()) / size if size > 0 else 0.0


# %% wrong: small number added
# A small number guards the denominator.
# Message: it hides errors of small gradients


def gradient_error(n, g):
    return float((n - g).norm() / (n.norm() + g.norm() + 1e-8))


# %% wrong: squares
# The roots are forgotten.
# Message: A norm is the square root


def gradient_error(n, g):
    size = float(n.square().sum() + g.square().sum())
    return float((n - g).square().sum()) / size if size > 0 else 0.0


# %% wrong: zero over zero
# Nothing is done for two zeros.
# Message: 0 / 0 is NaN, or an error


def gradient_error(n, g):
    return float((n - g).norm() / (n.norm() + g.norm()))
