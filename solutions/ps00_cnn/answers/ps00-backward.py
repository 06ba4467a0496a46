# %% right: loops
# Written window by window: each output gives its shares.


def convolve_backward(g, x, w, stride=1, padding=0):
    rows, columns = w.shape[2:]
    padded = torch.nn.functional.pad(x, [padding] * 4)
    d_padded, d_w = torch.zeros_like(padded), torch.zeros_like(w)
    for i in range(g.shape[2]):
        for j in range(g.shape[3]):
            place = (..., slice(stride * i, stride * i + rows), slice(stride * j, stride * j + columns))
            for o in range(g.shape[1]):
                share = g[:, o, i, j].reshape(-1, 1, 1, 1)
                d_padded[place] += share * w[o]
                d_w[o] += (share * padded[place]).sum(dim=0)
    height, width = x.shape[2:]
    d_x = d_padded[:, :, padding:, padding:][:, :, :height, :width]
    return [d_x, d_w, g.sum((0, 2, 3))]


# %% right: columns
# Written with columns of windows, and with fold, which adds up what overlaps.


def convolve_backward(g, x, w, stride=1, padding=0):
    how = {"kernel_size": tuple(w.shape[2:]), "padding": padding, "stride": stride}
    columns = torch.nn.functional.unfold(x, **how)
    flat = g.flatten(2)
    d_w = torch.einsum("nop,nsp->os", flat, columns).reshape(w.shape)
    d_x = torch.nn.functional.fold(w.flatten(1).T @ flat, tuple(x.shape[2:]), **how)
    return d_x, d_w, flat.sum(dim=2).sum(dim=0)


# %% right: spread and turned
# Written as a convolution again: g spread out by the stride, the kernel turned round.


def convolve_backward(g, x, w, stride=1, padding=0):
    (height, width), (rows, columns) = x.shape[2:], w.shape[2:]
    spread = g.new_zeros(*g.shape[:2], height + 2 * padding - rows + 1, width + 2 * padding - columns + 1)
    spread[:, :, ::stride, ::stride][:, :, : g.shape[2], : g.shape[3]] = g
    full = torch.nn.functional.pad(spread, (columns - 1, columns - 1, rows - 1, rows - 1))
    windows = full.unfold(2, rows, 1).unfold(3, columns, 1)
    d_x = torch.einsum("noijkl,ockl->ncij", windows, w.flip(2, 3))
    d_x = d_x[:, :, padding : padding + height, padding : padding + width]
    padded = torch.nn.functional.pad(x, [padding] * 4)
    met = padded.unfold(2, spread.shape[2], 1).unfold(3, spread.shape[3], 1)
    return d_x, torch.einsum("noij,ncklij->ockl", spread, met), g.sum(dim=(0, 2, 3))


# %% wrong: overlaps overwritten
# Where windows overlap, only the last counts.
# Message: A pixel of two windows gets the sum of both


def convolve_backward(g, x, w, stride=1, padding=0):
    rows, columns = w.shape[2:]
    padded = torch.nn.functional.pad(x, [padding] * 4)
    d_padded, d_w = torch.zeros_like(padded), torch.zeros_like(w)
    for i in range(g.shape[2]):
        for j in range(g.shape[3]):
            place = (..., slice(stride * i, stride * i + rows), slice(stride * j, stride * j + columns))
            here = g[:, :, i, j]
            if here.any():
                d_padded[place] = torch.einsum("no,ockl->nckl", here, w)
            d_w += torch.einsum("no,nckl->ockl", here, padded[place])
    height, width = x.shape[2:]
    return d_padded[:, :, padding:, padding:][:, :, :height, :width], d_w, g.sum(dim=(0, 2, 3))


# %% wrong: turned round
# The kernel is turned round although every output gives out its weights as they stand.
# Message: From the output, the weights go out as they stand


def convolve_backward(g, x, w, stride=1, padding=0):
    how = {"kernel_size": tuple(w.shape[2:]), "padding": padding, "stride": stride}
    flat = g.flatten(2)
    d_w = torch.einsum("nop,nsp->os", flat, torch.nn.functional.unfold(x, **how)).reshape(w.shape)
    d_x = torch.nn.functional.fold(w.flip(2, 3).flatten(1).T @ flat, tuple(x.shape[2:]), **how)
    return d_x, d_w, g.sum(dim=(0, 2, 3))


# %% wrong: padding kept
# The gradient still has the rim of zeros.
# Message: expected shape (batch 2, inputs 3, height 9, width 7), got (2, 3, 11, 9)


def convolve_backward(g, x, w, stride=1, padding=0):
    rim = [padding] * 4
    padded = torch.nn.functional.pad(x, rim)
    how = {"kernel_size": tuple(w.shape[2:]), "stride": stride}
    flat = g.flatten(2)
    d_w = torch.einsum("nop,nsp->os", flat, torch.nn.functional.unfold(padded, **how)).reshape(w.shape)
    d_x = torch.nn.functional.fold(w.flatten(1).T @ flat, tuple(padded.shape[2:]), **how)
    return d_x, d_w, g.sum(dim=(0, 2, 3))


# %% wrong: mean over the batch
# The gradients of weights and biases are averaged over the pictures.
# Message: the sum runs over the batch; yours is the mean


def convolve_backward(g, x, w, stride=1, padding=0):
    how = {"kernel_size": tuple(w.shape[2:]), "padding": padding, "stride": stride}
    flat = g.flatten(2)
    d_w = (
        torch.einsum("nop,nsp->nos", flat, torch.nn.functional.unfold(x, **how)).mean(dim=0).reshape(w.shape)
    )
    d_x = torch.nn.functional.fold(w.flatten(1).T @ flat, tuple(x.shape[2:]), **how)
    return d_x, d_w, flat.sum(dim=2).mean(dim=0)


# %% wrong: mean over places
# The gradient of a weight is averaged over the places.
# Message: A weight is used at every place: the sum runs over all places


def convolve_backward(g, x, w, stride=1, padding=0):
    how = {"kernel_size": tuple(w.shape[2:]), "padding": padding, "stride": stride}
    flat = g.flatten(2)
    d_w = torch.einsum("nop,nsp->os", flat, torch.nn.functional.unfold(x, **how)).reshape(w.shape)
    d_x = torch.nn.functional.fold(w.flatten(1).T @ flat, tuple(x.shape[2:]), **how)
    return d_x, d_w / flat.shape[2], flat.mean(dim=2).sum(dim=0)


# %% wrong: stride forgotten
# Every window is taken to start one place further on.
# Message: your code raised


def convolve_backward(g, x, w, stride=1, padding=0):
    how = {"kernel_size": tuple(w.shape[2:]), "padding": padding}
    flat = g.flatten(2)
    d_w = torch.einsum("nop,nsp->os", flat, torch.nn.functional.unfold(x, **how)).reshape(w.shape)
    d_x = torch.nn.functional.fold(w.flatten(1).T @ flat, tuple(x.shape[2:]), **how)
    return d_x, d_w, g.sum(dim=(0, 2, 3))


# %% wrong: autograd
# autograd goes back, not the student.
# Message: your answer calls torch's backward


def convolve_backward(g, x, w, stride=1, padding=0):
    with torch.enable_grad():
        x, w = x.clone().requires_grad_(), w.clone().requires_grad_()
        columns = torch.nn.functional.unfold(x, tuple(w.shape[2:]), padding=padding, stride=stride)
        ((w.flatten(1) @ columns) * g.flatten(2)).sum().backward()
    return x.grad, w.grad, g.sum(dim=(0, 2, 3))


# %% wrong: library
# torch has the way back ready-made.
# Message: your answer calls torch's convolution_backward


def convolve_backward(g, x, w, stride=1, padding=0):
    d_x = torch.nn.grad.conv2d_input(x.shape, w, g, stride, padding)
    d_w = torch.nn.grad.conv2d_weight(x, w.shape, g, stride, padding)
    return d_x, d_w, g.sum(dim=(0, 2, 3))
