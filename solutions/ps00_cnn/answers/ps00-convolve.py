# %% right: loops
# Written with one product at a time over places and taps.


def convolve(x, w, b, stride=1, padding=0):
    batch, inputs, height, width = x.shape
    outputs, _, rows, columns = w.shape
    framed = x.new_zeros(batch, inputs, height + 2 * padding, width + 2 * padding)
    framed[:, :, padding : padding + height, padding : padding + width] = x
    higher = (height - rows + 2 * padding) // stride + 1
    wider = (width - columns + 2 * padding) // stride + 1
    y = x.new_zeros(batch, outputs, higher, wider)
    for o in range(outputs):
        for i in range(higher):
            for j in range(wider):
                window = framed[:, :, i * stride : i * stride + rows, j * stride : j * stride + columns]
                y[:, o, i, j] = (window * w[o]).sum(dim=(1, 2, 3)) + b[o]
    return y


# %% right: tap by tap
# Written as a sum over the taps, each a product of matrices for all places at once.


def convolve(x, w, b, stride=1, padding=0):
    padded = torch.nn.functional.pad(x, [padding] * 4)
    higher = (padded.shape[2] - w.shape[2]) // stride + 1
    wider = (padded.shape[3] - w.shape[3]) // stride + 1
    y = b.view(1, -1, 1, 1)
    for k in range(w.shape[2]):
        for m in range(w.shape[3]):
            met = padded[:, :, k:, m:][:, :, ::stride, ::stride][:, :, :higher, :wider]
            y = y + torch.einsum("ncij,oc->noij", met, w[:, :, k, m])
    return y


# %% right: columns
# Written with torch's unfold, every window a column, and one product of matrices.


def convolve(x, w, b, stride=1, padding=0):
    columns = torch.nn.functional.unfold(x, tuple(w.shape[2:]), padding=padding, stride=stride)
    higher = (x.shape[2] + 2 * padding - w.shape[2]) // stride + 1
    return (w.flatten(1) @ columns + b[:, None]).unflatten(2, (higher, -1))


# %% right: numpy
# Written in numpy, with a view of all windows.


def convolve(x, w, b, stride=1, padding=0):
    rim = (padding, padding)
    padded = np.pad(x.numpy(), ((0, 0), (0, 0), rim, rim))
    windows = np.lib.stride_tricks.sliding_window_view(padded, w.shape[2:], axis=(2, 3))
    y = np.tensordot(windows[:, :, ::stride, ::stride], w.numpy(), axes=((1, 4, 5), (1, 2, 3)))
    return torch.from_numpy((y + b.numpy()).transpose(0, 3, 1, 2))


# %% wrong: turned round
# A convolution as in signal processing: the kernel is turned round.
# Message: You turned the kernel round


def convolve(x, w, b, stride=1, padding=0):
    padded = torch.nn.functional.pad(x, [padding] * 4)
    windows = padded.unfold(2, w.shape[2], stride).unfold(3, w.shape[3], stride)
    return torch.einsum("ncijkl,ockl->noij", windows, w.flip(2, 3)) + b.reshape(-1, 1, 1)


# %% wrong: rows and columns swapped
# Rows and columns of the kernel change their places, which only fits a square.
# Message: Rows and columns of the kernel are swapped


def convolve(x, w, b, stride=1, padding=0):
    padded = torch.nn.functional.pad(x, [padding] * 4)
    windows = padded.unfold(2, w.shape[3], stride).unfold(3, w.shape[2], stride)
    return torch.einsum("ncijkl,oclk->noij", windows, w) + b.reshape(-1, 1, 1)


# %% wrong: no bias
# The bias is forgotten.
# Message: The bias b is missing


def convolve(x, w, b, stride=1, padding=0):
    padded = torch.nn.functional.pad(x, [padding] * 4)
    windows = padded.unfold(2, w.shape[2], stride).unfold(3, w.shape[3], stride)
    return torch.einsum("ncijkl,ockl->noij", windows, w)


# %% wrong: bias along a row
# The bias is added along the last axis, which only fits where the sizes happen to be equal.
# Message: your code raised RuntimeError


def convolve(x, w, b, stride=1, padding=0):
    padded = torch.nn.functional.pad(x, [padding] * 4)
    windows = padded.unfold(2, w.shape[2], stride).unfold(3, w.shape[3], stride)
    return torch.einsum("ncijkl,ockl->noij", windows, w) + b


# %% wrong: zeros on one side
# The zeros stand only before the picture.
# Message: If a size does not fit: zeros stand on all four sides


def convolve(x, w, b, stride=1, padding=0):
    padded = torch.nn.functional.pad(x, [padding, 0, padding, 0])
    windows = padded.unfold(2, w.shape[2], stride).unfold(3, w.shape[3], stride)
    return torch.einsum("ncijkl,ockl->noij", windows, w) + b.reshape(-1, 1, 1)


# %% wrong: border repeated
# Around the picture stand copies of its border.
# Message: Around the picture there are zeros


def convolve(x, w, b, stride=1, padding=0):
    padded = torch.nn.functional.pad(x, [padding] * 4, mode="replicate")
    windows = padded.unfold(2, w.shape[2], stride).unfold(3, w.shape[3], stride)
    return torch.einsum("ncijkl,ockl->noij", windows, w) + b.reshape(-1, 1, 1)


# %% wrong: square kernels only
# The number of rows is taken for that of the columns.
# Message: Rows and columns of a kernel may differ


def convolve(x, w, b, stride=1, padding=0):
    size = w.shape[2]
    padded = torch.nn.functional.pad(x, [padding] * 4)
    windows = padded.unfold(2, size, stride).unfold(3, size, stride)
    return torch.einsum("ncijkl,ockl->noij", windows, w) + b.reshape(-1, 1, 1)


# %% wrong: inputs and outputs swapped
# The axes of the kernels are read in the wrong order, which only fits where they are equal.
# Message: your code raised RuntimeError


def convolve(x, w, b, stride=1, padding=0):
    padded = torch.nn.functional.pad(x, [padding] * 4)
    windows = padded.unfold(2, w.shape[2], stride).unfold(3, w.shape[3], stride)
    return torch.einsum("ncijkl,cokl->noij", windows, w) + b.reshape(-1, 1, 1)


# %% wrong: library
# torch has it ready-made.
# Message: your answer calls torch's conv2d


def convolve(x, w, b, stride=1, padding=0):
    return torch.nn.functional.conv2d(x, w, b, stride, padding)
