"""Written with loops and plain numbers."""


def draw_gradient(scores, drawn, losses, baseline):
    result = torch.zeros_like(scores)
    for i, (places, costs) in enumerate(zip(drawn.tolist(), losses.tolist(), strict=True)):
        alpha = scores[i].softmax(dim=0)
        for k, (z, cost) in enumerate(zip(places, costs, strict=True)):
            others = costs[:k] + costs[k + 1 :]
            if baseline and others:
                cost -= math.fsum(others) / len(others)
            result[i] -= cost * alpha / len(costs)
            result[i, z] += cost / len(costs)
    return result
