"""torch's own clipping is asked.

Message: your answer calls torch's clip_grad_norm_
"""


def clip(gradients, threshold):
    holders = []
    for g in gradients:
        if g is not None:
            holders.append(torch.zeros_like(g))
            holders[-1].grad = g
    return float(torch.nn.utils.clip_grad_norm_(holders, threshold, error_if_nonfinite=True))
