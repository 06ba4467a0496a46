"""Written with -inf; a row that keeps nothing is softened first and zeroed afterwards."""


def masked_softmax(scores, keep):
    kept = keep.unsqueeze(1)
    empty = ~kept.any(dim=-1, keepdim=True)
    alpha = torch.where(kept | empty, scores, -torch.inf).softmax(dim=-1)
    return alpha.masked_fill(empty, 0.0)
