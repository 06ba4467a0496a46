# %% right: one number at a time
# Written with loops over pictures, channels and windows.


def max_pool_backward(g, x, size, stride):
    result = torch.zeros_like(x)
    for n in range(len(x)):
        for c in range(x.shape[1]):
            for i in range(g.shape[2]):
                for j in range(g.shape[3]):
                    window = x[n, c, stride * i : stride * i + size, stride * j : stride * j + size]
                    winners = (window == window.max()).nonzero().tolist()
                    for k, m in winners:
                        result[n, c, stride * i + k, stride * j + m] += g[n, c, i, j] / len(winners)
    return result


# %% right: fold
# Written with columns of windows, and with fold, which adds up what overlaps.


def max_pool_backward(g, x, size, stride):
    batch, channels, height, width = x.shape
    flat = x.reshape(batch * channels, 1, height, width)
    columns = torch.nn.functional.unfold(flat, size, stride=stride)
    wins = (columns == columns.max(dim=1, keepdim=True).values).to(x.dtype)
    shares = wins / wins.sum(dim=1, keepdim=True) * g.reshape(batch * channels, 1, -1)
    return torch.nn.functional.fold(shares, (height, width), size, stride=stride).reshape(x.shape)


# %% wrong: the first takes all
# The first of several largest numbers gets the whole gradient.
# Message: yours gives all of it to the first


def max_pool_backward(g, x, size, stride):
    d_x = torch.zeros_like(x)
    for i in range(g.shape[2]):
        for j in range(g.shape[3]):
            seen = np.s_[:, :, stride * i : stride * i + size, stride * j : stride * j + size]
            first = x[seen].flatten(2).argmax(dim=2)
            won = torch.nn.functional.one_hot(first, size * size).reshape(*first.shape, size, size)
            d_x[seen] += won * g[:, :, i, j, None, None]
    return d_x


# %% wrong: all to each
# Each of several largest numbers gets the whole gradient.
# Message: yours gives all of it to each


def max_pool_backward(g, x, size, stride):
    d_x = torch.zeros_like(x)
    for i in range(g.shape[2]):
        for j in range(g.shape[3]):
            seen = np.s_[:, :, stride * i : stride * i + size, stride * j : stride * j + size]
            largest = x[seen] == x[seen].amax(dim=(2, 3), keepdim=True)
            d_x[seen] += largest * g[:, :, i, j, None, None]
    return d_x


# %% wrong: overlaps overwritten
# A pixel that wins in several windows keeps the last gradient only.
# Message: A pixel that wins in several windows gets the sum; yours keeps the last


def max_pool_backward(g, x, size, stride):
    d_x = torch.zeros_like(x)
    for i in range(g.shape[2]):
        for j in range(g.shape[3]):
            seen = np.s_[:, :, stride * i : stride * i + size, stride * j : stride * j + size]
            largest = x[seen] == x[seen].amax(dim=(2, 3), keepdim=True)
            share = g[:, :, i, j] / largest.sum(dim=(2, 3))
            d_x[seen] = torch.where(largest, share[..., None, None], d_x[seen])
    return d_x


# %% wrong: mean
# The gradient is spread evenly over each window.
# Message: That is the way back through a mean


def max_pool_backward(g, x, size, stride):
    d_x = torch.zeros_like(x)
    for i in range(g.shape[2]):
        for j in range(g.shape[3]):
            seen = np.s_[:, :, stride * i : stride * i + size, stride * j : stride * j + size]
            d_x[seen] += g[:, :, i, j, None, None] / size**2
    return d_x


# %% wrong: nearly equal
# Numbers that are close count as equal.
# Message: Compare with the largest number of the window, to the last bit


def max_pool_backward(g, x, size, stride):
    d_x = torch.zeros_like(x)
    for i in range(g.shape[2]):
        for j in range(g.shape[3]):
            seen = np.s_[:, :, stride * i : stride * i + size, stride * j : stride * j + size]
            largest = torch.isclose(x[seen], x[seen].amax(dim=(2, 3), keepdim=True))
            d_x[seen] += largest * (g[:, :, i, j] / largest.sum(dim=(2, 3)))[..., None, None]
    return d_x
