"""The gradients are torch's.

Message: your answer calls torch.autograd
"""


def negative_gradients(v, U, targets, negatives):
    v, U = torch.tensor(v, requires_grad=True), torch.tensor(U, requires_grad=True)
    asked = torch.from_numpy(np.column_stack([targets, negatives]))
    scores = (U[asked] * v.unsqueeze(1)).sum(dim=2)
    signs = torch.cat([torch.ones_like(scores[:, :1]), -torch.ones_like(scores[:, 1:])], dim=1)
    terms = -torch.nn.functional.logsigmoid(signs * scores)
    counts = torch.cat([torch.ones_like(asked[:, :1]), asked[:, 1:] != asked[:, :1]], dim=1)
    (terms * counts).sum(dim=1).mean().backward()
    return v.grad.numpy(), U.grad.numpy()
