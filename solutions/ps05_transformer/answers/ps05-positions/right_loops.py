"""Written with loops over features, with math."""


def encode_positions(p, size):
    result = torch.zeros(*p.shape, size, dtype=torch.float64)
    for feature in range(size):
        pair = feature // 2
        angle = p.double() / 10000 ** (2 * pair / size)
        result[..., feature] = torch.cos(angle) if feature % 2 else torch.sin(angle)
    return result
