"""torch's own clipping is asked, in its two halves.

Message: your answer calls torch's _clip_grads_with_norm_
"""


def clip(gradients, threshold):
    holders = []
    for g in gradients:
        if g is not None:
            holders.append(torch.zeros_like(g))
            holders[-1].grad = g
    norm = torch.nn.utils.get_total_norm([holder.grad for holder in holders], error_if_nonfinite=True)
    torch.nn.utils.clip_grads_with_norm_(holders, threshold, norm)
    return float(norm)
