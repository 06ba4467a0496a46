"""The gradient of α_z instead of log α_z.

Message: the formula has log α_z
"""


def draw_gradient(scores, drawn, losses, baseline):
    n = drawn.shape[1]
    if baseline and n > 1:
        losses = losses - (losses.sum(dim=1, keepdim=True) - losses) / (n - 1)
    alpha = scores.softmax(dim=-1)
    hits = torch.nn.functional.one_hot(drawn, scores.shape[1])
    chosen = alpha.gather(1, drawn).unsqueeze(-1)
    return (losses.unsqueeze(-1) * chosen * (hits - alpha.unsqueeze(1))).mean(dim=1)
