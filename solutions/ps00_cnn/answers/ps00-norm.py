# %% right: channel by channel
# Written with a loop over the channels and plain sums.


def batch_norm(x, gamma, beta, mean, variance, training, momentum=0.1, epsilon=1e-5):
    y, mean, variance = torch.empty_like(x), mean.clone(), variance.clone()
    for c in range(x.shape[1]):
        numbers = x[:, c]
        count = numbers.numel()
        if training:
            if count == 1:
                raise ValueError("one number has no variance")
            mu = numbers.sum() / count
            spread = ((numbers - mu) ** 2).sum()
            sigma2 = spread / count
            mean[c] += momentum * (mu - mean[c])
            variance[c] += momentum * (spread / (count - 1) - variance[c])
        else:
            mu, sigma2 = mean[c], variance[c]
        y[:, c] = gamma[c] * (numbers - mu) / torch.sqrt(sigma2 + epsilon) + beta[c]
    return y, mean, variance


# %% right: channels last
# Written with channels as the last axis, and a list as the result.


def batch_norm(x, gamma, beta, mean, variance, training, momentum=0.1, epsilon=1e-5):
    rows = x.movedim(1, -1)
    mu, sigma2 = mean, variance
    if training:
        flat = rows.reshape(-1, x.shape[1])
        if len(flat) < 2:
            raise ValueError("two numbers or more")
        mu, sigma2 = flat.mean(0), flat.var(0, unbiased=False)
        mean = mean.lerp(mu, momentum)
        variance = variance.lerp(flat.var(0), momentum)
    y = (rows - mu) / (sigma2 + epsilon) ** 0.5 * gamma + beta
    return [y.movedim(-1, 1), mean, variance]


# %% wrong: batch always
# The statistics of the batch are taken in both modes.
# Message: Afterwards the running statistics stand in for those of the batch


def batch_norm(x, gamma, beta, mean, variance, training, momentum=0.1, epsilon=1e-5):
    def wide(v):
        return v.reshape(-1, 1, 1)

    mu, sigma2 = x.mean((0, 2, 3)), x.var((0, 2, 3), correction=0)
    if training:
        count = x.numel() // x.shape[1]
        if count < 2:
            raise ValueError("two numbers or more")
        mean = (1 - momentum) * mean + momentum * mu
        variance = (1 - momentum) * variance + momentum * sigma2 * count / (count - 1)
    return wide(gamma) * (x - wide(mu)) / (wide(sigma2) + epsilon).sqrt() + wide(beta), mean, variance


# %% wrong: running always
# The running statistics are moved and then taken in both modes.
# Message: In training, the statistics are those of the batch; the running ones are for later


def batch_norm(x, gamma, beta, mean, variance, training, momentum=0.1, epsilon=1e-5):
    def wide(v):
        return v.reshape(-1, 1, 1)

    if training:
        count = x.numel() // x.shape[1]
        if count < 2:
            raise ValueError("two numbers or more")
        mean = (1 - momentum) * mean + momentum * x.mean((0, 2, 3))
        variance = (1 - momentum) * variance + momentum * x.var((0, 2, 3))
    return wide(gamma) * (x - wide(mean)) / (wide(variance) + epsilon).sqrt() + wide(beta), mean, variance


# %% wrong: N minus 1
# The variance divides by N − 1 everywhere.
# Message: Here the variance divides by N, not by N − 1


def batch_norm(x, gamma, beta, mean, variance, training, momentum=0.1, epsilon=1e-5):
    def wide(v):
        return v.reshape(-1, 1, 1)

    mu, sigma2 = mean, variance
    if training:
        if x.numel() // x.shape[1] < 2:
            raise ValueError("two numbers or more")
        mu, sigma2 = x.mean((0, 2, 3)), x.var((0, 2, 3))
        mean = (1 - momentum) * mean + momentum * mu
        variance = (1 - momentum) * variance + momentum * sigma2
    return wide(gamma) * (x - wide(mu)) / (wide(sigma2) + epsilon).sqrt() + wide(beta), mean, variance


# %% wrong: N everywhere
# The running variance divides by N, too.
# Message: The running variance takes N / (N − 1) times that of the batch


def batch_norm(x, gamma, beta, mean, variance, training, momentum=0.1, epsilon=1e-5):
    def wide(v):
        return v.reshape(-1, 1, 1)

    mu, sigma2 = mean, variance
    if training:
        if x.numel() // x.shape[1] < 2:
            raise ValueError("two numbers or more")
        mu, sigma2 = x.mean((0, 2, 3)), x.var((0, 2, 3), correction=0)
        mean = (1 - momentum) * mean + momentum * mu
        variance = (1 - momentum) * variance + momentum * sigma2
    return wide(gamma) * (x - wide(mu)) / (wide(sigma2) + epsilon).sqrt() + wide(beta), mean, variance


# %% wrong: momentum the other way
# The momentum is the weight of what there was.
# Message: The weights are swapped: m belongs to the batch


def batch_norm(x, gamma, beta, mean, variance, training, momentum=0.1, epsilon=1e-5):
    def wide(v):
        return v.reshape(-1, 1, 1)

    mu, sigma2 = mean, variance
    if training:
        if x.numel() // x.shape[1] < 2:
            raise ValueError("two numbers or more")
        mu, sigma2 = x.mean((0, 2, 3)), x.var((0, 2, 3), correction=0)
        mean = momentum * mean + (1 - momentum) * mu
        variance = momentum * variance + (1 - momentum) * x.var((0, 2, 3))
    return wide(gamma) * (x - wide(mu)) / (wide(sigma2) + epsilon).sqrt() + wide(beta), mean, variance


# %% wrong: over places only
# Each picture is normalised by itself.
# Message: The mean runs over the pictures, too


def batch_norm(x, gamma, beta, mean, variance, training, momentum=0.1, epsilon=1e-5):
    def wide(v):
        return v.reshape(-1, 1, 1)

    if not training:
        return wide(gamma) * (x - wide(mean)) / (wide(variance) + epsilon).sqrt() + wide(beta), mean, variance
    if x.numel() // x.shape[1] < 2:
        raise ValueError("two numbers or more")
    axes = (2, 3) if x.shape[2] * x.shape[3] > 1 else (0, 2, 3)
    mu, sigma2 = x.mean(axes, keepdim=True), x.var(axes, correction=0, keepdim=True)
    mean = (1 - momentum) * mean + momentum * x.mean((0, 2, 3))
    variance = (1 - momentum) * variance + momentum * x.var((0, 2, 3))
    return wide(gamma) * (x - mu) / (sigma2 + epsilon).sqrt() + wide(beta), mean, variance


# %% wrong: epsilon outside the root
# ε is added to the root.
# Message: ε is added to the variance, under the root


def batch_norm(x, gamma, beta, mean, variance, training, momentum=0.1, epsilon=1e-5):
    def wide(v):
        return v.reshape(-1, 1, 1)

    mu, sigma2 = mean, variance
    if training:
        if x.numel() // x.shape[1] < 2:
            raise ValueError("two numbers or more")
        mu, sigma2 = x.mean((0, 2, 3)), x.var((0, 2, 3), correction=0)
        mean = (1 - momentum) * mean + momentum * mu
        variance = (1 - momentum) * variance + momentum * x.var((0, 2, 3))
    return wide(gamma) * (x - wide(mu)) / (wide(sigma2).sqrt() + epsilon) + wide(beta), mean, variance


# %% wrong: in place
# The caller's running statistics are moved.
# Message: your function changed the caller's mean


def batch_norm(x, gamma, beta, mean, variance, training, momentum=0.1, epsilon=1e-5):
    def wide(v):
        return v.reshape(-1, 1, 1)

    mu, sigma2 = mean, variance
    if training:
        if x.numel() // x.shape[1] < 2:
            raise ValueError("two numbers or more")
        mu, sigma2 = x.mean((0, 2, 3)), x.var((0, 2, 3), correction=0)
        mean.lerp_(mu, momentum)
        variance.lerp_(x.var((0, 2, 3)), momentum)
    return wide(gamma) * (x - wide(mu)) / (wide(sigma2) + epsilon).sqrt() + wide(beta), mean, variance


# %% wrong: library
# torch has it ready-made.
# Message: your answer calls torch's batch_norm


def batch_norm(x, gamma, beta, mean, variance, training, momentum=0.1, epsilon=1e-5):
    mean, variance = mean.clone(), variance.clone()
    y = torch.nn.functional.batch_norm(x, mean, variance, gamma, beta, training, momentum, epsilon)
    return y, mean, variance
