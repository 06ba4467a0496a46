"""Written with tensors over the whole batch; what comes after eos is cut off at the end."""


def greedy_decode(step, state, batch_size, bos, eos, max_length):
    tokens, columns, tops, gaps = torch.full((batch_size,), bos), [], [], []
    for _ in range(max_length):
        log_probs, state = step(tokens, state)
        ordered = log_probs.sort(dim=1, descending=True)
        tokens = ordered.indices[:, 0]
        columns.append(tokens)
        tops.append(ordered.values[:, 0])
        gaps.append(ordered.values[:, 0] - ordered.values[:, 1])
    columns, tops, gaps = torch.stack(columns, 1), torch.stack(tops, 1), torch.stack(gaps, 1)
    result = []
    for row, top, gap in zip(columns, tops, gaps, strict=True):
        ends = (row == eos).nonzero()
        length = int(ends[0]) + 1 if len(ends) else max_length
        result.append((row[:length].tolist(), float(top[:length].sum()), int(gap[:length].argmin())))
    return result
