"""Written with complex numbers: cosine + i sine, times a number of length 1."""


def shift(encoding, k):
    size = encoding.shape[-1]
    angle = k * 10000.0 ** (-torch.arange(0, size, 2, dtype=torch.float64) / size)
    hands = torch.complex(encoding[..., 1::2].double(), encoding[..., 0::2].double())
    turned = hands * torch.polar(torch.ones_like(angle), angle)
    return torch.stack([turned.imag, turned.real], dim=-1).flatten(-2).to(encoding.dtype)
