"""Written with loops over sequences and steps."""


def penalty_and_gradient(W_hh, errors, slopes):
    penalty, gradient = W_hh.new_zeros(()), torch.zeros_like(W_hh)
    for error, slope in zip(errors, slopes, strict=True):
        for k in range(len(error) - 1):
            came = error[k + 1].norm()
            if came < 1e-10:
                continue
            v = slope[k] * (W_hh.T @ error[k + 1])
            gap = v.norm() / came - 1
            penalty = penalty + gap**2
            if v.norm() > 0:
                gradient = gradient + 2 * gap / came * torch.outer(error[k + 1], slope[k] * v / v.norm())
    return penalty / len(errors), gradient / len(errors)
