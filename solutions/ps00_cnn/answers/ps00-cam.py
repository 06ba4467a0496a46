# %% right: sum
# Written with sums in place of means: dividing by the largest takes the factor away.


def grad_cam(activations, gradients):
    maps = (gradients.sum((2, 3), keepdim=True) * activations).sum(1).relu()
    largest = maps.flatten(1).max(dim=1).values.reshape(-1, 1, 1)
    return torch.where(largest > 0, maps / largest, torch.zeros_like(maps))


# %% right: picture by picture
# Written with a loop over the pictures, in numpy.


def grad_cam(activations, gradients):
    maps = []
    for A, G in zip(activations.numpy(), gradients.numpy(), strict=True):
        one = np.maximum(np.tensordot(G.mean(axis=(1, 2)), A, axes=1), 0)
        maps.append(one / one.max() if one.max() > 0 else one)
    return torch.from_numpy(np.stack(maps))


# %% right: nan to num
# Written with 0 / 0, which is then made 0.


def grad_cam(activations, gradients):
    maps = torch.einsum("nc,nchw->nhw", gradients.mean((-1, -2)), activations).clamp_min(0)
    return torch.nan_to_num(maps / maps.amax((-1, -2), keepdim=True))


# %% wrong: ReLU on the gradients
# What is negative is cut off in the gradients.
# Message: Cut off what is negative in the sum, not in the gradients.


def grad_cam(activations, gradients):
    alpha = gradients.clamp(min=0).mean((2, 3))
    maps = torch.einsum("nc,ncij->nij", alpha, activations).clamp(min=0)
    largest = maps.amax((1, 2), keepdim=True)
    return maps / largest.where(largest > 0, 1.0)


# %% wrong: ReLU on the weights
# What is negative is cut off in the means of the gradients.
# Message: Cut off what is negative in the sum, not in the gradients or in their means


def grad_cam(activations, gradients):
    alpha = gradients.mean((2, 3)).clamp(min=0)
    maps = torch.einsum("nc,ncij->nij", alpha, activations).clamp(min=0)
    largest = maps.amax((1, 2), keepdim=True)
    return maps / largest.where(largest > 0, 1.0)


# %% wrong: no ReLU
# What speaks against the class stays below 0.
# Message: What speaks against the class is 0, not below it


def grad_cam(activations, gradients):
    maps = torch.einsum("nc,ncij->nij", gradients.mean((2, 3)), activations)
    largest = maps.amax((1, 2), keepdim=True)
    return maps / largest.where(largest > 0, 1.0)


# %% wrong: absolute values
# What speaks against the class counts like what speaks for it.
# Message: you took absolute values


def grad_cam(activations, gradients):
    maps = torch.einsum("nc,ncij->nij", gradients.mean((2, 3)), activations).abs()
    largest = maps.amax((1, 2), keepdim=True)
    return maps / largest.where(largest > 0, 1.0)


# %% wrong: place by place
# Maps and gradients are multiplied place by place.
# Message: A channel has one weight, the mean of its gradients; you multiplied place by place


def grad_cam(activations, gradients):
    maps = (gradients * activations).sum(dim=1).clamp(min=0)
    largest = maps.amax((1, 2), keepdim=True)
    return maps / largest.where(largest > 0, 1.0)


# %% wrong: largest of the batch
# All maps are divided by the largest number of the batch.
# Message: yours by the largest of the batch


def grad_cam(activations, gradients):
    maps = torch.einsum("nc,ncij->nij", gradients.mean((2, 3)), activations).clamp(min=0)
    return maps / maps.max() if maps.max() > 0 else maps


# %% wrong: stretched
# The smallest number is made 0.
# Message: Divide by the largest number, and do nothing else


def grad_cam(activations, gradients):
    maps = torch.einsum("nc,ncij->nij", gradients.mean((2, 3)), activations).clamp(min=0)
    maps = maps - maps.amin((1, 2), keepdim=True)
    largest = maps.amax((1, 2), keepdim=True)
    return maps / largest.where(largest > 0, 1.0)


# %% wrong: a small number added
# A small number in the divisor makes small maps pale.
# Message: Do not add a small number to the divisor


def grad_cam(activations, gradients):
    maps = torch.einsum("nc,ncij->nij", gradients.mean((2, 3)), activations).clamp(min=0)
    return maps / (maps.amax((1, 2), keepdim=True) + 1e-8)


# %% wrong: 0 by 0
# A map that is 0 everywhere is divided by 0.
# Message: 0 / 0 is NaN


def grad_cam(activations, gradients):
    maps = torch.einsum("nc,ncij->nij", gradients.mean((2, 3)), activations).clamp(min=0)
    return maps / maps.amax((1, 2), keepdim=True)
