"""torch's own random numbers are drawn, not the given ones.

Message: should be
"""


def draw(p, u):
    generator = torch.Generator().manual_seed(0)
    return torch.multinomial(p, 1, generator=generator).squeeze(1)
