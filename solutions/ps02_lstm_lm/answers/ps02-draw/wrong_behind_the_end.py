"""Behind the sum the last token is drawn, though it is impossible.

Message: draw the last token with a probability above 0
"""


def draw(p, u):
    return (p.cumsum(dim=1) <= u.unsqueeze(1)).sum(dim=1).clamp(max=p.shape[1] - 1)
