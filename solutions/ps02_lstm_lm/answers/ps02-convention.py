# %% right: copies
# Written on copies, block by block.


def to_slides(W, U, b, d):
    result = []
    for old in (W, U, b, d):
        new, size = old.clone(), len(old) // 3
        new[:size] = old[size : 2 * size].neg()
        new[size : 2 * size] = old[:size]
        result.append(new)
    return tuple(result)


# %% right: signs
# Written with one row of signs and an order of rows.


def to_slides(W, U, b, d):
    size = len(b) // 3
    rows = [*range(size, 2 * size), *range(size), *range(2 * size, 3 * size)]
    signs = torch.ones(3 * size, dtype=b.dtype)
    signs[:size] = -1
    return signs[:, None] * W[rows], signs[:, None] * U[rows], signs * b[rows], signs * d[rows]


# %% wrong: biases forgotten
# The biases stay as they are.
# Message: The biases go into the gate, too


def to_slides(W, U, b, d):
    def turned(packed):
        r, z, n = packed.chunk(3)
        return torch.cat([-z, r, n])

    return turned(W), turned(U), b.clone(), d.clone()


# %% wrong: both gates
# Both gates change their sign.
# Message: The reset gate means the same in both


def to_slides(W, U, b, d):
    def turned(packed):
        r, z, n = packed.chunk(3)
        return torch.cat([-z, -r, n])

    return turned(W), turned(U), turned(b), turned(d)


# %% wrong: candidate
# The candidate changes its sign, too.
# Message: The candidate means the same in both


def to_slides(W, U, b, d):
    def turned(packed):
        r, z, n = packed.chunk(3)
        return torch.cat([-z, r, -n])

    return turned(W), turned(U), turned(b), turned(d)


# %% wrong: in place
# The caller's weights are changed.
# Message: your function changed the caller's W


def to_slides(W, U, b, d):
    for packed in (W, U, b, d):
        size = len(packed) // 3
        r = packed[:size].clone()
        packed[:size] = -packed[size : 2 * size]
        packed[size : 2 * size] = r
    return W, U, b, d


# %% wrong: one minus weights
# 1 − z is taken of the weights.
# Message: 1 − z is taken of the gate, not of its weights


def to_slides(W, U, b, d):
    def turned(packed):
        r, z, n = packed.chunk(3)
        return torch.cat([1 - z, r, n])

    return turned(W), turned(U), turned(b), turned(d)


# %% wrong: only order
# Only the order changes; z still keeps.
# Message: z still keeps


def to_slides(W, U, b, d):
    def turned(packed):
        r, z, n = packed.chunk(3)
        return torch.cat([z, r, n])

    return turned(W), turned(U), turned(b), turned(d)


# %% wrong: only sign
# Only the sign changes; the order is torch's.
# Message: the slides have z, r, n


def to_slides(W, U, b, d):
    def turned(packed):
        r, z, n = packed.chunk(3)
        return torch.cat([r, -z, n])

    return turned(W), turned(U), turned(b), turned(d)


# %% wrong: rows
# A block is taken for a row: the example has one unit.
# Message: A block has `hidden` rows, not one


def to_slides(W, U, b, d):
    def turned(packed):
        new = packed.clone()
        new[0], new[1] = -packed[1], packed[0]
        return new

    return turned(W), turned(U), turned(b), turned(d)


# %% wrong: wrong block
# The reset gate is turned in the update gate's place.
# Message: You turned the sign of the wrong block


def to_slides(W, U, b, d):
    def turned(packed):
        r, z, n = packed.chunk(3)
        return torch.cat([z, -r, n])

    return turned(W), turned(U), turned(b), turned(d)
