"""Written with the quotient first, and 0 in the place of 0 / 0."""


def gradient_error(n, g):
    quotient = torch.linalg.vector_norm(n - g) / (torch.linalg.vector_norm(n) + torch.linalg.vector_norm(g))
    return quotient.nan_to_num(0.0).item()
