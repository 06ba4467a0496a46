"""The baseline is the mean over all sentences.

Message: a draw's baseline comes from its own sentence
"""


def draw_gradient(scores, drawn, losses, baseline):
    if baseline and losses.shape[1] > 1:
        if len(losses) == 1:
            losses = losses - (losses.sum(dim=1, keepdim=True) - losses) / (losses.shape[1] - 1)
        else:
            losses = losses - losses.mean()
    hits = torch.nn.functional.one_hot(drawn, scores.shape[1])
    return (losses.unsqueeze(-1) * (hits - scores.softmax(dim=-1).unsqueeze(1))).mean(dim=1)
