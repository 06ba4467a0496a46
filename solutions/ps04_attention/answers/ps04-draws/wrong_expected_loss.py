"""Weighs the drawn losses by their probabilities, as if each position had been visited once.

Message: draw_gradient
"""


def draw_gradient(scores, drawn, losses, baseline):
    n = drawn.shape[1]
    if baseline and n > 1:
        losses = losses - (losses.sum(dim=1, keepdim=True) - losses) / (n - 1)
    leaf = scores.clone().requires_grad_()
    (leaf.softmax(dim=1).gather(1, drawn) * losses).sum(1).sum().backward()
    return leaf.grad
