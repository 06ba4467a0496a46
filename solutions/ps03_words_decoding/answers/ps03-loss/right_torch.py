"""Written with torch's logsigmoid and signs."""


def negative_loss(v, U, targets, negatives):
    words = torch.from_numpy(np.column_stack([targets, negatives]))
    scores = (torch.from_numpy(U)[words] * torch.from_numpy(v).unsqueeze(1)).sum(dim=2)
    signs = -torch.ones_like(scores)
    signs[:, 0] = 1
    terms = torch.nn.functional.logsigmoid(signs * scores)
    terms[:, 1:][words[:, 1:] == words[:, :1]] = 0
    return -terms.sum().item() / len(v)
