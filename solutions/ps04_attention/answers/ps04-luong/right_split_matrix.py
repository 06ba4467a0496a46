"""Written with bmm; concat splits W into the part for s and the part for h."""


def luong_scores(states, h, kind, W=None, v=None):
    s, keys = states[:, 1:].contiguous(), h.transpose(1, 2)
    match kind:
        case "dot":
            return torch.bmm(s, keys)
        case "general":
            return torch.bmm(s, torch.matmul(W, keys))
        case "concat":
            of_s, of_h = W.split([s.shape[-1], h.shape[-1]], dim=1)
            hidden = torch.tanh((s @ of_s.T)[:, :, None] + (h @ of_h.T)[:, None])
            return torch.einsum("btsa,a->bts", hidden, v)
    raise ValueError(f"kind {kind!r} is not one of Luong's")
