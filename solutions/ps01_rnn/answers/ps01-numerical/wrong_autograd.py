"""Autograd is asked.

Message: A loss may return a float
"""


def numerical_gradient(loss, w, epsilon=1e-5):
    leaf = w.clone().requires_grad_()
    loss(leaf).backward()
    return leaf.grad
