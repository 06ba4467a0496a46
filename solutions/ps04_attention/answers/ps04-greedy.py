# %% right: numpy while
# Written with a while loop, numpy and argmax.


def greedy_decode(step, state, batch_size, bos, eos, max_length):
    last, alive = np.full(batch_size, bos), set(range(batch_size))
    paths, total, doubt = (
        [[] for _ in range(batch_size)],
        np.zeros(batch_size),
        np.zeros(batch_size, dtype=int),
    )
    closest = np.full(batch_size, np.inf)
    position = 0
    while alive and position < max_length:
        log_probs, state = step(torch.from_numpy(last), state)
        for i, row in enumerate(log_probs.numpy()):
            last[i] = row.argmax()
            if i not in alive:
                continue
            paths[i].append(int(last[i]))
            total[i] += row[last[i]]
            gap = row[last[i]] - np.delete(row, last[i]).max()
            if gap < closest[i]:
                closest[i], doubt[i] = gap, position
            if last[i] == eos:
                alive.remove(i)
        position += 1
    return [(paths[i], total[i], doubt[i]) for i in range(batch_size)]


# %% right: padded tensor
# Written with tensors over the whole batch; what comes after eos is cut off at the end.


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


# %% wrong: batch stops together
# The first sentence that ends stops the whole batch.
# Message: neither stops the others


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
        if any(eos in path for path in written):
            break
    return [
        (path, total, gap.index(min(gap))) for path, total, gap in zip(written, totals, gaps, strict=True)
    ]


# %% wrong: bos fed again
# Each step is fed bos instead of the token chosen before.
# Message: The tokens that were chosen are not fed back


def greedy_decode(step, state, batch_size, bos, eos, max_length):
    tokens = torch.full((batch_size,), bos)
    written, gaps = [[] for _ in range(batch_size)], [[] for _ in range(batch_size)]
    totals = [0.0] * batch_size
    for _ in range(max_length):
        log_probs, state = step(tokens, state)
        values, indices = log_probs.topk(2, dim=-1)
        pass
        for i in range(batch_size):
            if eos not in written[i]:
                written[i].append(indices[i, 0].item())
                totals[i] += values[i, 0].item()
                gaps[i].append((values[i, 0] - values[i, 1]).item())
        if all(eos in path for path in written):
            break
    return [
        (path, total, gap.index(min(gap))) for path, total, gap in zip(written, totals, gaps, strict=True)
    ]


# %% wrong: bos in front
# bos is counted as a token of the result.
# Message: bos does not belong to the tokens


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
        ([bos, *path], total, gap.index(min(gap)))
        for path, total, gap in zip(written, totals, gaps, strict=True)
    ]


# %% wrong: eos cut off
# eos is left out of the tokens.
# Message: eos belongs to the tokens


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
        ([t for t in path if t != eos], total, gap.index(min(gap)))
        for path, total, gap in zip(written, totals, gaps, strict=True)
    ]


# %% wrong: last doubt
# Of equally doubtful steps the last is returned.
# Message: Of equally doubtful steps, take the first


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
        (path, total, len(gap) - 1 - gap[::-1].index(min(gap)))
        for path, total, gap in zip(written, totals, gaps, strict=True)
    ]


# %% wrong: library
# The library searches, which does not say where it was in doubt.
# Message: your answer calls course_lib.decoding.greedy.greedy_search


def greedy_decode(step, state, batch_size, bos, eos, max_length):
    from course_lib.decoding import greedy_search

    found = greedy_search(step, state, torch.full((batch_size,), bos), eos, max_length)
    return [(list(h.tokens), h.log_prob, 0) for h in found]


# %% wrong: log prob past eos
# A sentence that has ended keeps gathering log p.
# Message: Nothing stops at eos; a sentence ends there, and so do its log p and its doubt


def greedy_decode(step, state, batch_size, bos, eos, max_length):
    tokens = torch.full((batch_size,), bos)
    written, gaps = [[] for _ in range(batch_size)], [[] for _ in range(batch_size)]
    totals = torch.zeros(batch_size)
    for _ in range(max_length):
        log_probs, state = step(tokens, state)
        values, indices = log_probs.topk(2, dim=-1)
        tokens = indices[:, 0]
        totals = totals + values[:, 0]
        for i in range(batch_size):
            if eos not in written[i]:
                written[i].append(tokens[i].item())
                gaps[i].append((values[i, 0] - values[i, 1]).item())
        if all(eos in path for path in written):
            break
    return [
        (path, total, gap.index(min(gap)))
        for path, total, gap in zip(written, totals.tolist(), gaps, strict=True)
    ]


# %% wrong: most sure
# The step of the largest gap is returned, where the model was most sure.
# Message: the step at which the model was most sure


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


# %% wrong: product
# Probabilities are multiplied instead of adding their logarithms.
# Message: You multiplied probabilities


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
        (path, math.exp(total), gap.index(min(gap)))
        for path, total, gap in zip(written, totals, gaps, strict=True)
    ]


# %% wrong: runs past eos
# Nothing stops at eos.
# Message: Nothing stops at eos


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


# %% wrong: state dropped
# Each step starts from the first state.
# Message: The state that a step returns must go into the next step


def greedy_decode(step, state, batch_size, bos, eos, max_length):
    tokens = torch.full((batch_size,), bos)
    written, gaps = [[] for _ in range(batch_size)], [[] for _ in range(batch_size)]
    totals = [0.0] * batch_size
    for _ in range(max_length):
        log_probs, _ = step(tokens, state)
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
        (path, total, gap.index(min(gap))) for path, total, gap in zip(written, totals, gaps, strict=True)
    ]


# %% wrong: least likely
# The doubt is where the best token has its lowest log p.
# Message: The doubt is about the gap to the second best


def greedy_decode(step, state, batch_size, bos, eos, max_length):
    tokens = torch.full((batch_size,), bos)
    written = [[] for _ in range(batch_size)]
    totals, gaps = [0.0] * batch_size, [[] for _ in range(batch_size)]
    for _ in range(max_length):
        log_probs, state = step(tokens, state)
        values, indices = log_probs.topk(2, dim=-1)
        tokens = indices[:, 0]
        for i in range(batch_size):
            if eos not in written[i]:
                written[i].append(tokens[i].item())
                totals[i] += values[i, 0].item()
                gaps[i].append(values[i, 0].item())
    return [
        (path, total, gap.index(min(gap))) for path, total, gap in zip(written, totals, gaps, strict=True)
    ]


# %% wrong: gap of probabilities
# The doubt is where the two best probabilities differ least.
# Message: The gap is one of log p


def greedy_decode(step, state, batch_size, bos, eos, max_length):
    tokens = torch.full((batch_size,), bos)
    written = [[] for _ in range(batch_size)]
    totals, gaps = [0.0] * batch_size, [[] for _ in range(batch_size)]
    for _ in range(max_length):
        log_probs, state = step(tokens, state)
        values, indices = log_probs.topk(2, dim=-1)
        tokens = indices[:, 0]
        for i in range(batch_size):
            if eos not in written[i]:
                written[i].append(tokens[i].item())
                totals[i] += values[i, 0].item()
                gaps[i].append((values[i, 0].exp() - values[i, 1].exp()).item())
    return [
        (path, total, gap.index(min(gap))) for path, total, gap in zip(written, totals, gaps, strict=True)
    ]
