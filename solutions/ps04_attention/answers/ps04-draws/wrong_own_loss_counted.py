"""The baseline is the mean of all draws, the draw itself included.

Message: The baseline of a draw counts its own loss in
"""


def draw_gradient(scores, drawn, losses, baseline):
    if baseline and losses.shape[1] > 1:
        losses = losses - losses.mean(dim=1, keepdim=True)
    hits = torch.nn.functional.one_hot(drawn, scores.shape[1])
    return (losses.unsqueeze(-1) * (hits - scores.softmax(dim=-1).unsqueeze(1))).mean(dim=1)
