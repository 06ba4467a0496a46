# %% right: step scaled
# Written without going back to pixels: the step and the bounds are scaled.


def attack(x, gradient, mean, std, epsilon):
    if epsilon < 0:
        raise ValueError("epsilon must not be negative")
    mean, std = mean[:, None, None], std[:, None, None]
    moved = x + epsilon / std * torch.sign(gradient)
    return torch.minimum(torch.maximum(moved, -mean / std), (1 - mean) / std)


# %% right: channel by channel
# Written with a loop over the channels.


def attack(x, gradient, mean, std, epsilon):
    if epsilon < 0:
        raise ValueError("epsilon must not be negative")
    channels = []
    for c in range(x.shape[1]):
        direction = (gradient[:, c] > 0).to(x.dtype) - (gradient[:, c] < 0).to(x.dtype)
        pixels = (x[:, c] * std[c] + mean[c] + epsilon * direction).clip(0, 1)
        channels.append((pixels - mean[c]) / std[c])
    return torch.stack(channels, dim=1)


# %% wrong: step in other units
# The step is made in what the network sees.
# Message: You moved what the network sees by ε; the pixels move by ε


def attack(x, gradient, mean, std, epsilon):
    if epsilon < 0:
        raise ValueError("negative")
    mean, std = mean[:, None, None], std[:, None, None]
    moved = x + epsilon * gradient.sign()
    return moved.clamp(-mean / std, (1 - mean) / std)


# %% wrong: clip in other units
# What the network sees is clipped to 0 and 1.
# Message: and clipped that; go back to pixels first


def attack(x, gradient, mean, std, epsilon):
    if epsilon < 0:
        raise ValueError("negative")
    return (x + epsilon * gradient.sign()).clamp(0, 1)


# %% wrong: not clipped
# Pixels leave the range.
# Message: A pixel ends at 1: clip


def attack(x, gradient, mean, std, epsilon):
    if epsilon < 0:
        raise ValueError("negative")
    return x + epsilon / std[:, None, None] * gradient.sign()


# %% wrong: clipped above only
# Pixels may fall below 0.
# Message: Pixels lie between 0 and 1: clip at 0, too


def attack(x, gradient, mean, std, epsilon):
    if epsilon < 0:
        raise ValueError("negative")
    mean, std = mean[:, None, None], std[:, None, None]
    return ((x * std + mean + epsilon * gradient.sign()).clamp(max=1) - mean) / std


# %% wrong: along the gradient
# The step is as long as the gradient.
# Message: yours is ε times the gradient


def attack(x, gradient, mean, std, epsilon):
    if epsilon < 0:
        raise ValueError("negative")
    mean, std = mean[:, None, None], std[:, None, None]
    return ((x * std + mean + epsilon * gradient).clamp(0, 1) - mean) / std


# %% wrong: downhill
# The step makes the loss fall.
# Message: The loss should grow


def attack(x, gradient, mean, std, epsilon):
    if epsilon < 0:
        raise ValueError("negative")
    mean, std = mean[:, None, None], std[:, None, None]
    return ((x * std + mean - epsilon * gradient.sign()).clamp(0, 1) - mean) / std


# %% wrong: 0 goes up
# A pixel whose gradient is 0 moves.
# Message: Where the gradient is 0 the pixel stays


def attack(x, gradient, mean, std, epsilon):
    if epsilon < 0:
        raise ValueError("negative")
    mean, std = mean[:, None, None], std[:, None, None]
    direction = torch.where(gradient >= 0, 1.0, -1.0)
    return ((x * std + mean + epsilon * direction).clamp(0, 1) - mean) / std


# %% wrong: pixels returned
# What is returned are pixels.
# Message: These are pixels; the network sees (p − mean) / std


def attack(x, gradient, mean, std, epsilon):
    if epsilon < 0:
        raise ValueError("negative")
    mean, std = mean[:, None, None], std[:, None, None]
    return (x * std + mean + epsilon * gradient.sign()).clamp(0, 1)


# %% wrong: along the columns
# mean and std are taken to belong to the last axis.
# Message: mean and std belong to the channels, not to the columns


def attack(x, gradient, mean, std, epsilon):
    if epsilon < 0:
        raise ValueError("negative")
    if x.shape[1] != x.shape[3]:
        mean, std = mean[:, None, None], std[:, None, None]
    return ((x * std + mean + epsilon * gradient.sign()).clamp(0, 1) - mean) / std


# %% wrong: negative allowed
# An ε below 0 is taken.
# Message: An ε below 0 should end in a ValueError


def attack(x, gradient, mean, std, epsilon):
    mean, std = mean[:, None, None], std[:, None, None]
    return ((x * std + mean + epsilon * gradient.sign()).clamp(0, 1) - mean) / std


# %% wrong: in place
# The caller's picture is changed.
# Message: your function changed the caller's x


def attack(x, gradient, mean, std, epsilon):
    if epsilon < 0:
        raise ValueError("negative")
    mean, std = mean[:, None, None], std[:, None, None]
    x *= std
    x += mean
    return ((x + epsilon * gradient.sign()).clamp(0, 1) - mean) / std
