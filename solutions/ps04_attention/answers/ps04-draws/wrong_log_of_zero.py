"""Softmax first, then its logarithm: NaN at a masked position.

Message: its gradient NaN
"""


def draw_gradient(scores, drawn, losses, baseline):
    n = drawn.shape[1]
    if baseline and n > 1:
        losses = losses - (losses.sum(dim=1, keepdim=True) - losses) / (n - 1)
    leaf = scores.clone().requires_grad_()
    chosen = leaf.softmax(dim=1).log()[torch.arange(len(leaf)).unsqueeze(1), drawn]
    (losses * chosen).sum().div(n).backward()
    return leaf.grad
