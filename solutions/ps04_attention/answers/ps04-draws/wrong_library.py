"""Calls the course's own surrogate.

Message: your answer calls course_lib.attention
"""

from course_lib.attention.hard import score_function_surrogate


def draw_gradient(scores, drawn, losses, baseline):
    n = losses.shape[1]
    others = (
        (losses.sum(dim=1, keepdim=True) - losses) / max(1, n - 1) if baseline else torch.zeros_like(losses)
    )
    leaf = scores.clone().requires_grad_()
    chosen = leaf.log_softmax(dim=1).gather(1, drawn)
    (len(scores) * score_function_surrogate(losses.flatten(), chosen.flatten(), others.flatten())).backward()
    return leaf.grad
