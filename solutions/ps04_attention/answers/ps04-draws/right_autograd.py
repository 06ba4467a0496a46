"""log α by torch, its gradient by autograd."""


def draw_gradient(scores, drawn, losses, baseline):
    n = losses.shape[1]
    weight = losses.clone()
    if baseline and n > 1:
        for k in range(n):
            weight[:, k] = losses[:, k] - (losses[:, :k].sum(1) + losses[:, k + 1 :].sum(1)) / (n - 1)
    leaf = scores.clone().requires_grad_()
    chosen = leaf.log_softmax(dim=1).gather(1, drawn)
    (weight * chosen).sum().div(n).backward()
    return leaf.grad
