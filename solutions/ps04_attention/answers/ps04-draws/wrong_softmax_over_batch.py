"""The softmax runs over the sentences.

Message: with all sizes equal
"""


def draw_gradient(scores, drawn, losses, baseline):
    n = drawn.shape[1]
    if baseline and n > 1:
        losses = losses - (losses.sum(dim=1, keepdim=True) - losses) / (n - 1)
    alpha = scores.softmax(dim=0) if scores.shape[0] > 1 else scores.softmax(dim=1)
    hits = torch.nn.functional.one_hot(drawn, scores.shape[1])
    return (losses.unsqueeze(-1) * (hits - alpha.unsqueeze(1))).mean(dim=1)
