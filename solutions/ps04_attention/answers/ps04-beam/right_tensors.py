"""Written with one flat top-k over the tensor of all candidates."""


def beam_search(step, state, bos, eos, k, max_length, alpha=0.0):
    paths, totals = torch.empty(1, 0, dtype=torch.int64), torch.zeros(1, dtype=torch.float64)
    done, last = [], torch.tensor([bos])
    for length in range(1, max_length + 1):
        log_probs, state = step(last, state)
        grid = totals[:, None] + log_probs.double()
        values, flat = grid.flatten().sort(descending=True, stable=True)
        flat = flat[values > -torch.inf]
        is_end = flat % grid.shape[1] == eos
        open_before = (~is_end).cumsum(0) - (~is_end).long()
        flat, is_end = flat[open_before < k], is_end[open_before < k]
        rows, tokens = flat // grid.shape[1], flat % grid.shape[1]
        grown = torch.cat([paths[rows], tokens[:, None]], dim=1)
        done += [
            (path.tolist(), (total / length**alpha).item(), True)
            for path, total in zip(grown[is_end], grid.flatten()[flat[is_end]], strict=True)
        ]
        paths, totals, last = grown[~is_end], grid.flatten()[flat[~is_end]], tokens[~is_end]
        if not len(paths):
            break
        state = reorder(state, rows[~is_end])
    if not done:
        done = [(p.tolist(), (t / len(p) ** alpha).item(), False) for p, t in zip(paths, totals, strict=True)]
    return sorted(done, key=lambda entry: entry[1], reverse=True)[:k]
