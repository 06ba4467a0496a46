# %% right: centred
# Written with the means taken off: the bias is what brings them back.


def train_readout(features, targets, beta):
    middle, height = features[:, 1:].mean(dim=0), targets.mean(dim=0)
    X, Y = features[:, 1:] - middle, targets - height
    W = torch.linalg.solve(X.T @ X + beta * torch.eye(X.shape[1], dtype=X.dtype), X.T @ Y).T
    return torch.cat([(height - W @ middle).unsqueeze(1), W], dim=1)


# %% right: least squares
# Written as least squares with rows of weight √β for all features but the first.


def train_readout(features, targets, beta):
    size = features.shape[1]
    extra = torch.eye(size, dtype=features.dtype)[1:] * math.sqrt(beta)
    zeros = torch.zeros(size - 1, targets.shape[1], dtype=targets.dtype)
    stacked = torch.cat([features, extra]), torch.cat([targets, zeros])
    return torch.linalg.lstsq(*stacked).solution.T


# %% wrong: bias punished
# The lecture's ridge regression, with a bias that is punished.
# Message: The bias is punished, too


def train_readout(features, targets, beta):
    eye = torch.eye(features.shape[1], dtype=features.dtype)
    return torch.linalg.solve(features.T @ features + beta * eye, features.T @ targets).T


# %% wrong: every entry
# β is added to every entry of the matrix.
# Message: `+ beta` adds β to every entry


def train_readout(features, targets, beta):
    return torch.linalg.solve(features.T @ features + beta, features.T @ targets).T


# %% wrong: last free
# The last weight goes free, not the first.
# Message: The last weight goes unpunished


def train_readout(features, targets, beta):
    D = torch.eye(features.shape[1], dtype=features.dtype)
    D[-1, -1] = 0
    return torch.linalg.solve(features.T @ features + beta * D, features.T @ targets).T


# %% wrong: library
# The library's ridge regression is called.
# Message: your answer calls course_lib.reservoir


from course_lib.reservoir.readout import ridge


def train_readout(features, targets, beta):
    return torch.tensor(ridge(features.numpy(), targets.numpy(), beta), dtype=features.dtype)


# %% wrong: mean
# The squares are averaged, so β counts as often as there are steps.
# Message: β weighs the sum over the steps, not their mean


def train_readout(features, targets, beta):
    D = torch.eye(features.shape[1], dtype=features.dtype)
    D[0, 0] = 0
    gram = features.T @ features / len(features) + beta * D
    return torch.linalg.solve(gram, features.T @ targets / len(features)).T


# %% wrong: no beta
# Plain least squares.
# Message: β has no influence


def train_readout(features, targets, beta):
    return torch.linalg.lstsq(features, targets).solution.T


# %% wrong: scikit
# scikit-learn does the work.
# Message: your answer calls sklearn


from sklearn.linear_model import Ridge


def train_readout(features, targets, beta):
    model = Ridge(alpha=beta).fit(features[:, 1:].numpy(), targets.numpy())
    return torch.tensor(np.column_stack([model.intercept_, model.coef_]), dtype=features.dtype)


# %% wrong: sign
# β is subtracted.
# Message: β has the wrong sign


def train_readout(features, targets, beta):
    D = torch.eye(features.shape[1], dtype=features.dtype)
    D[0, 0] = 0
    return torch.linalg.solve(features.T @ features - beta * D, features.T @ targets).T


# %% wrong: squared
# β is squared on its way into the rows of least squares.
# Message: β is squared


def train_readout(features, targets, beta):
    size = features.shape[1]
    extra = torch.eye(size, dtype=features.dtype)[1:] * beta
    zeros = torch.zeros(size - 1, targets.shape[1], dtype=targets.dtype)
    return torch.linalg.lstsq(torch.cat([features, extra]), torch.cat([targets, zeros])).solution.T


# %% wrong: transposed
# The weights come back as columns.
# Message: Yours is transposed


def train_readout(features, targets, beta):
    D = torch.eye(features.shape[1], dtype=features.dtype)
    D[0, 0] = 0
    return torch.linalg.solve(features.T @ features + beta * D, features.T @ targets)
