"""Nothing stops at eos.

Message: Nothing stops at eos
"""


def greedy_decode(step, state, batch_size, bos, eos, max_length):
    tokens = torch.full((batch_size,), bos)
    written, gaps = [[] for _ in range(batch_size)], [[] for _ in range(batch_size)]
    totals = [0.0] * batch_size
    for _ in range(max_length):
        log_probs, state = step(tokens, state)
        values, indices = log_probs.topk(2, dim=-1)
        tokens = indices[:, 0]
        for i in range(batch_size):
            if True:
                written[i].append(indices[i, 0].item())
                totals[i] += values[i, 0].item()
                gaps[i].append((values[i, 0] - values[i, 1]).item())
    return [
        (path, total, gap.index(min(gap))) for path, total, gap in zip(written, totals, gaps, strict=True)
    ]
