# %% right: loops
# Written with loops over features, with math.


def encode_positions(p, size):
    result = torch.zeros(*p.shape, size, dtype=torch.float64)
    for feature in range(size):
        pair = feature // 2
        angle = p.double() / 10000 ** (2 * pair / size)
        result[..., feature] = torch.cos(angle) if feature % 2 else torch.sin(angle)
    return result


# %% right: numpy
# Written with numpy: a cosine is a sine, a quarter turn ahead.


def encode_positions(p, size):
    pairs = np.repeat(np.arange(size // 2), 2)
    quarter = np.tile([0.0, np.pi / 2], size // 2)
    angles = np.multiply.outer(p.numpy().astype(float), np.exp(-np.log(10000.0) * 2 * pairs / size))
    return torch.from_numpy(np.sin(angles + quarter))


# %% wrong: cosine first
# The cosine stands before the sine.
# Message: The sine comes first


def encode_positions(p, size):
    frequency = 10000.0 ** (-torch.arange(0, size, 2, dtype=torch.float64) / size)
    angles = p.double().unsqueeze(-1) * frequency
    return torch.stack([angles.cos(), angles.sin()], dim=-1).flatten(-2)


# %% wrong: counted from one
# Positions are counted from 1.
# Message: Positions are counted from 0


def encode_positions(p, size):
    frequency = 10000.0 ** (-torch.arange(0, size, 2, dtype=torch.float64) / size)
    angles = (p.double() + 1).unsqueeze(-1) * frequency
    return torch.stack([angles.sin(), angles.cos()], dim=-1).flatten(-2)


# %% wrong: counts positions
# The values of p are ignored; positions are counted.
# Message: Take the positions in p as they are


def encode_positions(p, size):
    frequency = 10000.0 ** (-torch.arange(0, size, 2, dtype=torch.float64) / size)
    angles = torch.arange(len(p)).double().unsqueeze(-1) * frequency
    return torch.stack([angles.sin(), angles.cos()], dim=-1).flatten(-2)


# %% wrong: exponent
# The exponent counts pairs, not features.
# Message: The exponent is 2i/size for pair i; yours is i/size


def encode_positions(p, size):
    frequency = 10000.0 ** (-torch.arange(size // 2, dtype=torch.float64) / size)
    angles = p.double().unsqueeze(-1) * frequency
    return torch.stack([angles.sin(), angles.cos()], dim=-1).flatten(-2)


# %% wrong: float32
# Angles are computed in single precision, which is too coarse far out.
# Message: at large positions float32 is too coarse for a sine


def encode_positions(p, size):
    frequency = 10000.0 ** (-torch.arange(0, size, 2, dtype=torch.float32) / size)
    angles = p.float().unsqueeze(-1) * frequency
    return torch.stack([angles.sin(), angles.cos()], dim=-1).flatten(-2).double()


# %% wrong: halves
# All sines come first, then all cosines.
# Message: yours has all sines first


def encode_positions(p, size):
    frequency = 10000.0 ** (-torch.arange(0, size, 2, dtype=torch.float64) / size)
    angles = p.double().unsqueeze(-1) * frequency
    return torch.cat([angles.sin(), angles.cos()], dim=-1)


# %% wrong: library
# The library's table is asked, which holds whole positions only.
# Message: your answer calls course_lib.attention.position.sinusoidal_positions


from course_lib.attention import sinusoidal_positions


def encode_positions(p, size):
    return sinusoidal_positions(int(p.max()) + 1, size)[p.long()]


# %% wrong: own frequency
# Every feature has a frequency of its own.
# Message: Sine and cosine of one pair share a frequency


def encode_positions(p, size):
    feature = torch.arange(size)
    angles = p.double().unsqueeze(-1) * 10000.0 ** (-feature.double() / size)
    return torch.where(feature % 2 == 0, angles.sin(), angles.cos())


# %% wrong: rising
# The frequencies rise: the sign of the exponent is lost.
# Message: The frequencies should fall, not rise


def encode_positions(p, size):
    frequency = 10000.0 ** (torch.arange(0, size, 2, dtype=torch.float64) / size)
    angles = p.double().unsqueeze(-1) * frequency
    return torch.stack([angles.sin(), angles.cos()], dim=-1).flatten(-2)
