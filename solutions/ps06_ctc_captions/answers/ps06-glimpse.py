# %% right: pixel by pixel
# Written with loops over the numbers of a square.


def glimpse(picture, place, size, scales):
    height, width = picture.shape
    seen = picture.new_zeros(scales, size, size)
    for k in range(scales):
        step = 2**k
        top = round((place[0] + 1) / 2 * height - step * size / 2)
        left = round((place[1] + 1) / 2 * width - step * size / 2)
        for i in range(size):
            for j in range(size):
                rows = slice(max(0, top + i * step), max(0, top + (i + 1) * step))
                columns = slice(max(0, left + j * step), max(0, left + (j + 1) * step))
                seen[k, i, j] = picture[rows, columns].sum() / step**2
    return seen


# %% right: pooled
# Copies what lies on the picture onto a square of zeros, and pools it.


def glimpse(picture, place, size, scales):
    squares = []
    for k in range(scales):
        side = 2**k * size
        square = picture.new_zeros(side, side)
        starts = [
            int(np.rint((at + 1) / 2 * length - side / 2))
            for at, length in zip(place, picture.shape, strict=True)
        ]
        inside = [
            [p for p in range(side) if 0 <= start + p < length]
            for start, length in zip(starts, picture.shape, strict=True)
        ]
        if inside[0] and inside[1]:
            rows, columns = (torch.tensor(part) for part in inside)
            square[rows[:, None], columns] = picture[rows[:, None] + starts[0], columns + starts[1]]
        squares.append(torch.nn.functional.avg_pool2d(square[None, None], 2**k)[0, 0])
    return torch.stack(squares)


# %% right: sums of corners
# A table of sums, and the four corners of each block.


def glimpse(picture, place, size, scales):
    height, width = picture.shape
    table = torch.nn.functional.pad(picture.cumsum(0).cumsum(1), (1, 0, 1, 0))
    squares = []
    for step in (2**k for k in range(scales)):
        edges = []
        for at, length in zip(place, (height, width), strict=True):
            first = round((at + 1) / 2 * length - step * size / 2)
            edges.append((first + step * torch.arange(size + 1)).clamp(0, length))
        squares.append(table[edges[0][:, None], edges[1]].diff(dim=0).diff(dim=1) / step**2)
    return torch.stack(squares)


# %% wrong: place as corner
# The place is the upper left corner of each square.
# Message: The place is the middle of each square, not its corner.


def glimpse(picture, place, size, scales):
    squares = []
    for step in (2**k for k in range(scales)):
        side = step * size
        padded = torch.nn.functional.pad(picture, (side, side, side, side))
        for axis in (0, 1):
            length = picture.shape[axis]
            first = round((place[axis] + 1) / 2 * length)
            padded = padded.narrow(axis, min(max(first, -side), length) + side, side)
        squares.append(padded.reshape(size, step, size, step).mean(dim=(1, 3)))
    return torch.stack(squares)


# %% wrong: sums
# The pixels of a block are added up.
# Message: This is the sum of the pixels; take their mean.


def glimpse(picture, place, size, scales):
    squares = []
    for step in (2**k for k in range(scales)):
        side = step * size
        padded = torch.nn.functional.pad(picture, (side, side, side, side))
        for axis in (0, 1):
            length = picture.shape[axis]
            first = round((place[axis] + 1) / 2 * length - side / 2)
            padded = padded.narrow(axis, min(max(first, -side), length) + side, side)
        squares.append(padded.reshape(size, step, size, step).sum(dim=(1, 3)))
    return torch.stack(squares)


# %% wrong: every second pixel
# Pixels are left out, not averaged.
# Message: Each number is the mean of 2ᵏ × 2ᵏ pixels, not one of them.


def glimpse(picture, place, size, scales):
    squares = []
    for step in (2**k for k in range(scales)):
        side = step * size
        padded = torch.nn.functional.pad(picture, (side, side, side, side))
        for axis in (0, 1):
            length = picture.shape[axis]
            first = round((place[axis] + 1) / 2 * length - side / 2)
            padded = padded.narrow(axis, min(max(first, -side), length) + side, side)
        squares.append(padded[::step, ::step])
    return torch.stack(squares)


# %% wrong: far pixels averaged
# The axes of the blocks are mixed up with those in a block.
# Message: The mean of 2ᵏ × 2ᵏ pixels is one of neighbours


def glimpse(picture, place, size, scales):
    squares = []
    for step in (2**k for k in range(scales)):
        side = step * size
        padded = torch.nn.functional.pad(picture, (side, side, side, side))
        for axis in (0, 1):
            length = picture.shape[axis]
            first = round((place[axis] + 1) / 2 * length - side / 2)
            padded = padded.narrow(axis, min(max(first, -side), length) + side, side)
        squares.append(padded.reshape(step, size, step, size).mean(dim=(0, 2)))
    return torch.stack(squares)


# %% wrong: pushed back
# A square that hangs over the border is moved onto the picture.
# Message: The square was pushed back onto the picture


def glimpse(picture, place, size, scales):
    squares = []
    for step in (2**k for k in range(scales)):
        side, square = step * size, picture
        for axis in (0, 1):
            length = picture.shape[axis]
            first = round((place[axis] + 1) / 2 * length - side / 2)
            square = square.narrow(axis, min(max(first, 0), length - side), side)
        squares.append(square.reshape(size, step, size, step).mean(dim=(1, 3)))
    return torch.stack(squares)


# %% wrong: rim continued
# Outside lies what stands on the rim.
# Message: The picture's rim was continued outside


def glimpse(picture, place, size, scales):
    height, width = picture.shape
    squares = []
    for step in (2**k for k in range(scales)):
        rows, columns = (
            (round((at + 1) / 2 * length - step * size / 2) + torch.arange(step * size)).clamp(0, length - 1)
            for at, length in zip(place, (height, width), strict=True)
        )
        square = picture[rows[:, None], columns]
        squares.append(square.reshape(size, step, size, step).mean(dim=(1, 3)))
    return torch.stack(squares)


# %% wrong: x first
# The place is taken for (x, y).
# Message: A place is (y, x): the row comes first.


def glimpse(picture, place, size, scales):
    squares = []
    for step in (2**k for k in range(scales)):
        side = step * size
        padded = torch.nn.functional.pad(picture, (side, side, side, side))
        for axis in (0, 1):
            length = picture.shape[axis]
            first = round((place[1 - axis] + 1) / 2 * length - side / 2)
            padded = padded.narrow(axis, min(max(first, -side), length) + side, side)
        squares.append(padded.reshape(size, step, size, step).mean(dim=(1, 3)))
    return torch.stack(squares)


# %% wrong: middles of the corner pixels
# (1, 1) is taken for the middle of the last pixel.
# Message: take all of height and width


def glimpse(picture, place, size, scales):
    squares = []
    for step in (2**k for k in range(scales)):
        side = step * size
        padded = torch.nn.functional.pad(picture, (side, side, side, side))
        for axis in (0, 1):
            length = picture.shape[axis]
            first = round((place[axis] + 1) / 2 * (length - 1) - side / 2)
            padded = padded.narrow(axis, min(max(first, -side), length) + side, side)
        squares.append(padded.reshape(size, step, size, step).mean(dim=(1, 3)))
    return torch.stack(squares)


# %% wrong: sides that grow by one size
# The sides are 1, 2, 3 times the size.
# Message: Each square has twice the side of the one before: 1, 2, 4


def glimpse(picture, place, size, scales):
    squares = []
    for step in range(1, scales + 1):
        side = step * size
        padded = torch.nn.functional.pad(picture, (side, side, side, side))
        for axis in (0, 1):
            length = picture.shape[axis]
            first = round((place[axis] + 1) / 2 * length - side / 2)
            padded = padded.narrow(axis, min(max(first, -side), length) + side, side)
        squares.append(padded.reshape(size, step, size, step).mean(dim=(1, 3)))
    return torch.stack(squares)


# %% wrong: not far enough
# A place far outside is not foreseen.
# Message: A place far outside sees 0 only.


def glimpse(picture, place, size, scales):
    squares = []
    for step in (2**k for k in range(scales)):
        side = step * size
        padded = torch.nn.functional.pad(picture, (side, side, side, side))
        for axis in (0, 1):
            first = round((place[axis] + 1) / 2 * picture.shape[axis] - side / 2)
            padded = padded.narrow(axis, first + side, side)
        squares.append(padded.reshape(size, step, size, step).mean(dim=(1, 3)))
    return torch.stack(squares)
