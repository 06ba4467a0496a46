"""1 − z is taken of the weights.

Message: 1 − z is taken of the gate, not of its weights
"""


def to_slides(W, U, b, d):
    def turned(packed):
        r, z, n = packed.chunk(3)
        return torch.cat([1 - z, r, n])

    return turned(W), turned(U), turned(b), turned(d)
