"""The norm of v is compared with 1, whatever came in.

Message: The norm of v is divided by the norm of the error that came in
"""


def penalty_and_gradient(W_hh, errors, slopes):
    later, slope = errors[:, 1:], slopes[:, :-1]
    v = slope * (later @ W_hh)
    size = v.norm(dim=-1)
    gap = (size - 1) * (later.norm(dim=-1) > 1e-10)
    factor = 2 * gap / size.where(size > 0, 1.0)
    gradient = torch.einsum("bt,bti,btj->ij", factor, later, v * slope)
    return gap.square().sum() / len(errors), gradient / len(errors)
