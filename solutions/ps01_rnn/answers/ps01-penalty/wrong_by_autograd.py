"""Autograd is asked for the gradient.

Message: If autograd complains: it is off
"""


def penalty_and_gradient(W_hh, errors, slopes):
    W = W_hh.clone().requires_grad_()
    v = slopes[:, :-1] * (errors[:, 1:] @ W)
    ratio = v.norm(dim=-1) / errors[:, 1:].norm(dim=-1)
    penalty = (ratio - 1).square().sum() / len(errors)
    penalty.backward()
    return penalty.detach(), W.grad
