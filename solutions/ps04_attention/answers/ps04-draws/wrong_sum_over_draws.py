"""The sum of the draws instead of their mean.

Message: This is the sum over the draws
"""


def draw_gradient(scores, drawn, losses, baseline):
    n = drawn.shape[1]
    if baseline and n > 1:
        losses = losses - (losses.sum(dim=1, keepdim=True) - losses) / (n - 1)
    hits = torch.nn.functional.one_hot(drawn, scores.shape[1])
    return (losses.unsqueeze(-1) * (hits - scores.softmax(dim=-1).unsqueeze(1))).sum(dim=1)
