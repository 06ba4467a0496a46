"""The step of the largest gap is returned, where the model was most sure.

Message: the step at which the model was most sure
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
            if eos not in written[i]:
                written[i].append(indices[i, 0].item())
                totals[i] += values[i, 0].item()
                gaps[i].append((values[i, 0] - values[i, 1]).item())
        if all(eos in path for path in written):
            break
    return [
        (path, total, gap.index(max(gap))) for path, total, gap in zip(written, totals, gaps, strict=True)
    ]
