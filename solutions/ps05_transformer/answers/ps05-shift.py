# %% right: complex
# Written with complex numbers: cosine + i sine, times a number of length 1.


def shift(encoding, k):
    size = encoding.shape[-1]
    angle = k * 10000.0 ** (-torch.arange(0, size, 2, dtype=torch.float64) / size)
    hands = torch.complex(encoding[..., 1::2].double(), encoding[..., 0::2].double())
    turned = hands * torch.polar(torch.ones_like(angle), angle)
    return torch.stack([turned.imag, turned.real], dim=-1).flatten(-2).to(encoding.dtype)


# %% right: matrix
# Written with one matrix that has a 2 by 2 rotation for each hand on its diagonal.


def shift(encoding, k):
    size = encoding.shape[-1]
    blocks = []
    for i in range(size // 2):
        a = k * 10000 ** (-2 * i / size)
        blocks.append(torch.tensor([[math.cos(a), math.sin(a)], [-math.sin(a), math.cos(a)]]).double())
    return (encoding.double() @ torch.block_diag(*blocks).T).to(encoding.dtype)


# %% wrong: added
# The encoding of k is added.
# Message: You added PE(k)


def shift(encoding, k):
    size = encoding.shape[-1]
    angle = k * 10000.0 ** (-torch.arange(0, size, 2, dtype=encoding.dtype) / size)
    return encoding + torch.stack([angle.sin(), angle.cos()], dim=-1).flatten(-2)


# %% wrong: backwards
# The hands turn the wrong way.
# Message: The hands turn the wrong way


def shift(encoding, k):
    size = encoding.shape[-1]
    angle = k * 10000.0 ** (-torch.arange(0, size, 2, dtype=encoding.dtype) / size)
    a, b = encoding[..., 0::2], encoding[..., 1::2]
    return torch.stack([a * angle.cos() - b * angle.sin(), b * angle.cos() + a * angle.sin()], -1).flatten(-2)


# %% wrong: halves
# The first half is taken for the sines, the second for the cosines.
# Message: The pairs are sine and cosine side by side


def shift(encoding, k):
    size = encoding.shape[-1]
    angle = k * 10000.0 ** (-torch.arange(0, size, 2, dtype=encoding.dtype) / size)
    a, b = encoding.chunk(2, dim=-1)
    return torch.cat([a * angle.cos() + b * angle.sin(), b * angle.cos() - a * angle.sin()], dim=-1)


# %% wrong: in place
# The caller's encoding is overwritten.
# Message: changed the caller's encoding


def shift(encoding, k):
    size = encoding.shape[-1]
    angle = k * 10000.0 ** (-torch.arange(0, size, 2, dtype=encoding.dtype) / size)
    a, b = encoding[..., 0::2].clone(), encoding[..., 1::2].clone()
    encoding[..., 0::2] = a * angle.cos() + b * angle.sin()
    encoding[..., 1::2] = b * angle.cos() - a * angle.sin()
    return encoding


# %% wrong: library
# The library's table says how far each hand turns, in whole positions.
# Message: your answer calls course_lib.attention.position.sinusoidal_positions


from course_lib.attention import sinusoidal_positions


def shift(encoding, k):
    turn = sinusoidal_positions(int(abs(k)) + 1, encoding.shape[-1])[-1].to(encoding.dtype)
    sin, cos = (turn[0::2] if k >= 0 else -turn[0::2]), turn[1::2]
    a, b = encoding[..., 0::2], encoding[..., 1::2]
    return torch.stack([a * cos + b * sin, b * cos - a * sin], dim=-1).flatten(-2)


# %% wrong: position worked out
# The position is worked out from the vector; its length gets lost.
# Message: a rotation keeps it


def shift(encoding, k):
    size = encoding.shape[-1]
    angle = k * 10000.0 ** (-torch.arange(0, size, 2, dtype=encoding.dtype) / size)
    turned = torch.atan2(encoding[..., 0::2], encoding[..., 1::2]) + angle
    return torch.stack([turned.sin(), turned.cos()], dim=-1).flatten(-2)


# %% wrong: same angle
# All hands turn by the same angle.
# Message: All hands turned by the same angle


def shift(encoding, k):
    a, b = encoding[..., 0::2], encoding[..., 1::2]
    return torch.stack([a * math.cos(k) + b * math.sin(k), b * math.cos(k) - a * math.sin(k)], -1).flatten(-2)
