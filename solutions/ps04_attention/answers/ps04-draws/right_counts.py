"""Add up what each position was charged, then take the common part off."""


def draw_gradient(scores, drawn, losses, baseline):
    n = losses.shape[1]
    if baseline and n > 1:
        losses = (losses - losses.mean(dim=1, keepdim=True)) * n / (n - 1)
    charged = torch.zeros_like(scores).scatter_add(1, drawn, losses / n)
    return charged - losses.mean(dim=1, keepdim=True) * scores.softmax(dim=1)
