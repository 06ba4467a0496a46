# %% right: pair by pair
# Written with loops over all pairs, and a float for C.


def tsne_step(p, y):
    points = range(len(y))
    near = torch.zeros_like(p)
    for i in points:
        for j in points:
            if i != j:
                near[i, j] = 1 / (1 + ((y[i] - y[j]) ** 2).sum())
    q = near / near.sum()
    total, gradient = 0.0, torch.zeros_like(y)
    for i in points:
        for j in points:
            if p[i, j] > 0:
                total += float(p[i, j] * torch.log(p[i, j] / q[i, j]))
            gradient[i] += 4 * (p[i, j] - q[i, j]) * (y[i] - y[j]) * near[i, j]
    return total, gradient


# %% right: laplacian
# Written with products of matrices: the springs are a graph's Laplacian.


def tsne_step(p, y):
    squares = y.square().sum(dim=1)
    distances = (squares[:, None] + squares[None, :] - 2 * y @ y.T).clamp(min=0)
    near = 1 / (1 + distances)
    near = near - torch.diag(near.diagonal())
    q = near / near.sum()
    springs = (p - q) * near
    C = torch.xlogy(p, p).sum() - (p * torch.log(q + torch.eye(len(q), dtype=q.dtype))).sum()
    return C, 4 * (torch.diag(springs.sum(dim=1)) @ y - springs @ y)


# %% right: masked
# Written with a mask in place of the diagonal, in numpy; a list as the result.


def tsne_step(p, y):
    p, y = p.numpy(), y.numpy()
    away = y[:, None] - y[None]
    other = ~np.eye(len(y), dtype=bool)
    near = other / (1 + (away**2).sum(-1))
    q = near / near.sum()
    with np.errstate(divide="ignore", invalid="ignore"):
        C = np.nansum(np.where(p > 0, p * np.log(p / q), 0))
    return [float(C), torch.from_numpy(4 * (((p - q) * near)[..., None] * away).sum(1))]


# %% wrong: without the 4
# The factor 4 is forgotten.
# Message: The factor 4 is missing


def tsne_step(p, y):
    between = y[:, None] - y[None]
    near = 1 / (1 + between.square().sum(-1))
    near.fill_diagonal_(0)
    q = near / near.sum()
    return torch.xlogy(p, p / q.clamp(min=1e-300)).sum(), (((p - q) * near)[..., None] * between).sum(1)


# %% wrong: towards the goal
# The sign is that of the step, not of the gradient.
# Message: The sign is wrong


def tsne_step(p, y):
    between = y[:, None] - y[None]
    near = 1 / (1 + between.square().sum(-1))
    near.fill_diagonal_(0)
    q = near / near.sum()
    return torch.xlogy(p, p / q.clamp(min=1e-300)).sum(), -4 * (((p - q) * near)[..., None] * between).sum(1)


# %% wrong: springs all alike
# The nearness is missing from the springs, as in plain SNE.
# Message: The factor (1 + ‖y_i − y_j‖²)⁻¹ is missing from the sum


def tsne_step(p, y):
    between = y[:, None] - y[None]
    near = 1 / (1 + between.square().sum(-1))
    near.fill_diagonal_(0)
    q = near / near.sum()
    return torch.xlogy(p, p / q.clamp(min=1e-300)).sum(), 4 * ((p - q)[..., None] * between).sum(1)


# %% wrong: row by row
# q is normalised over each row.
# Message: q is normalised over all pairs, not over each row


def tsne_step(p, y):
    between = y[:, None] - y[None]
    near = 1 / (1 + between.square().sum(-1))
    near.fill_diagonal_(0)
    q = near / near.sum(dim=1, keepdim=True)
    return torch.xlogy(p, p / q.clamp(min=1e-300)).sum(), 4 * (((p - q) * near)[..., None] * between).sum(1)


# %% wrong: Gauss
# Nearness in the map is a Gaussian, as in SNE.
# Message: Nearness in the map falls like 1 / (1 + d²), not like exp(−d²)


def tsne_step(p, y):
    between = y[:, None] - y[None]
    near = (-between.square().sum(-1)).exp()
    near.fill_diagonal_(0)
    q = near / near.sum()
    return torch.xlogy(p, p / q.clamp(min=1e-300)).sum(), 4 * ((p - q)[..., None] * between).sum(1)


# %% wrong: with the diagonal
# A point counts as its own neighbour.
# Message: the diagonal does not count in the sum


def tsne_step(p, y):
    between = y[:, None] - y[None]
    near = 1 / (1 + between.square().sum(-1))
    q = near / near.sum()
    return torch.xlogy(p, p / q).sum(), 4 * (((p - q) * near)[..., None] * between).sum(1)


# %% wrong: 0 log 0
# A pair with p = 0 gives NaN.
# Message: A pair with p = 0 adds 0, not NaN


def tsne_step(p, y):
    between = y[:, None] - y[None]
    near = 1 / (1 + between.square().sum(-1))
    near.fill_diagonal_(0)
    q = near / near.sum()
    return (p * (p / q).log()).sum(), 4 * (((p - q) * near)[..., None] * between).sum(1)


# %% wrong: bits
# The logarithm is that of base 2.
# Message: C is in nats


def tsne_step(p, y):
    between = y[:, None] - y[None]
    near = 1 / (1 + between.square().sum(-1))
    near.fill_diagonal_(0)
    q = near / near.sum()
    pairs = p > 0
    return (p[pairs] * (p[pairs] / q[pairs]).log2()).sum(), 4 * (((p - q) * near)[..., None] * between).sum(1)


# %% wrong: autograd
# autograd goes back, not the student.
# Message: your answer calls torch's


def tsne_step(p, y):
    with torch.enable_grad():
        y = y.clone().requires_grad_()
        near = 1 / (1 + (y[:, None] - y[None]).square().sum(-1)) * (1 - torch.eye(len(y), dtype=y.dtype))
        q = near / near.sum()
        pairs = p > 0
        C = (p[pairs] * (p[pairs] / q[pairs]).log()).sum()
        return C.detach(), torch.autograd.grad(C, y)[0]
