"""Only the order changes; z still keeps.

Message: z still keeps
"""


def to_slides(W, U, b, d):
    def turned(packed):
        r, z, n = packed.chunk(3)
        return torch.cat([z, r, n])

    return turned(W), turned(U), turned(b), turned(d)
