# %% right: one state each
# Written with one state a hypothesis: every hypothesis takes its step alone.


def beam_search(step, state, bos, eos, k, max_length, alpha=0.0):
    opened, closed = [((), 0.0, state)], []
    for _ in range(max_length):
        candidates = []
        for path, total, own in opened:
            log_probs, after = step(torch.tensor([path[-1] if path else bos]), own)
            for token, log_p in enumerate(log_probs[0]):
                if not torch.isinf(log_p):
                    candidates.append(((*path, token), total + float(log_p), after))
        candidates.sort(key=lambda candidate: candidate[1], reverse=True)
        opened = []
        for candidate in candidates:
            if len(opened) == k:
                break
            (closed if candidate[0][-1] == eos else opened).append(candidate)
    best = [(list(path), total / len(path) ** alpha, path[-1] == eos) for path, total, _ in closed or opened]
    best.sort(key=lambda hypothesis: hypothesis[1], reverse=True)
    return best[:k]


# %% right: tensors
# Written with one flat top-k over the tensor of all candidates.


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


# %% wrong: beam shrinks
# A finished hypothesis takes a place of the beam.
# Message: takes no place from the k open ones


def beam_search(step, state, bos, eos, k, max_length, alpha=0.0):
    beam, finished = [([], 0.0)], []
    for _ in range(max_length):
        tokens = torch.tensor([path[-1] if path else bos for path, _ in beam])
        log_probs, state = step(tokens, state)
        candidates = [
            (total + log_p, row, token)
            for row, (_, total) in enumerate(beam)
            for token, log_p in enumerate(log_probs[row].tolist())
            if log_p > -math.inf
        ]
        survivors, rows = [], []
        for total, row, token in sorted(candidates, key=lambda candidate: -candidate[0]):
            path = [*beam[row][0], token]
            if token == eos:
                finished.append((path, total))
            else:
                survivors.append((path, total))
                rows.append(row)
            if len(survivors) + sum(len(path) == len(finished_path) for finished_path, _ in finished) == k:
                break
        beam = survivors
        if not beam:
            break
        state = reorder(state, torch.tensor(rows))
    found = finished or beam
    ranked = [(path, total / len(path) ** alpha, bool(finished)) for path, total in found]
    return sorted(ranked, key=lambda hypothesis: -hypothesis[1])[:k]


# %% wrong: best of nothing
# The best finished hypothesis is looked up where there is none.
# Message: Return the best open hypotheses


def beam_search(step, state, bos, eos, k, max_length, alpha=0.0):
    beam, finished = [([], 0.0)], []
    for _ in range(max_length):
        tokens = torch.tensor([path[-1] if path else bos for path, _ in beam])
        log_probs, state = step(tokens, state)
        candidates = [
            (total + log_p, row, token)
            for row, (_, total) in enumerate(beam)
            for token, log_p in enumerate(log_probs[row].tolist())
            if log_p > -math.inf
        ]
        survivors, rows = [], []
        for total, row, token in sorted(candidates, key=lambda candidate: -candidate[0]):
            path = [*beam[row][0], token]
            if token == eos:
                finished.append((path, total))
            else:
                survivors.append((path, total))
                rows.append(row)
            if len(survivors) == k:
                break
        beam = survivors
        if not beam:
            break
        state = reorder(state, torch.tensor(rows))
    best = max(total for _, total in finished)
    finished = [(path, total) for path, total in finished if total > best - math.inf]
    found = finished or beam
    ranked = [(path, total / len(path) ** alpha, bool(finished)) for path, total in found]
    return sorted(ranked, key=lambda hypothesis: -hypothesis[1])[:k]


# %% wrong: eos counted twice
# The length counts eos twice.
# Message: |y| counts eos once


def beam_search(step, state, bos, eos, k, max_length, alpha=0.0):
    beam, finished = [([], 0.0)], []
    for _ in range(max_length):
        tokens = torch.tensor([path[-1] if path else bos for path, _ in beam])
        log_probs, state = step(tokens, state)
        candidates = [
            (total + log_p, row, token)
            for row, (_, total) in enumerate(beam)
            for token, log_p in enumerate(log_probs[row].tolist())
            if log_p > -math.inf
        ]
        survivors, rows = [], []
        for total, row, token in sorted(candidates, key=lambda candidate: -candidate[0]):
            path = [*beam[row][0], token]
            if token == eos:
                finished.append((path, total))
            else:
                survivors.append((path, total))
                rows.append(row)
            if len(survivors) == k:
                break
        beam = survivors
        if not beam:
            break
        state = reorder(state, torch.tensor(rows))
    ranked = [
        (path, total / (len(path) + (eos in path)) ** alpha, bool(finished))
        for path, total in finished or beam
    ]
    return sorted(ranked, key=lambda hypothesis: -hypothesis[1])[:k]


# %% wrong: eos not counted
# The length leaves out eos.
# Message: |y| leaves out eos


def beam_search(step, state, bos, eos, k, max_length, alpha=0.0):
    beam, finished = [([], 0.0)], []
    for _ in range(max_length):
        tokens = torch.tensor([path[-1] if path else bos for path, _ in beam])
        log_probs, state = step(tokens, state)
        candidates = [
            (total + log_p, row, token)
            for row, (_, total) in enumerate(beam)
            for token, log_p in enumerate(log_probs[row].tolist())
            if log_p > -math.inf
        ]
        survivors, rows = [], []
        for total, row, token in sorted(candidates, key=lambda candidate: -candidate[0]):
            path = [*beam[row][0], token]
            if token == eos:
                finished.append((path, total))
            else:
                survivors.append((path, total))
                rows.append(row)
            if len(survivors) == k:
                break
        beam = survivors
        if not beam:
            break
        state = reorder(state, torch.tensor(rows))
    ranked = [
        (path, total / max(1, len(path) - (eos in path)) ** alpha, bool(finished))
        for path, total in finished or beam
    ]
    return sorted(ranked, key=lambda hypothesis: -hypothesis[1])[:k]


# %% wrong: finished extended
# A finished hypothesis stays in the beam and is extended.
# Message: A finished hypothesis is put aside, never extended


def beam_search(step, state, bos, eos, k, max_length, alpha=0.0):
    beam = [([], 0.0)]
    for _ in range(max_length):
        log_probs, state = step(torch.tensor([path[-1] if path else bos for path, _ in beam]), state)
        candidates = [
            (total + log_p, row, token)
            for row, (_, total) in enumerate(beam)
            for token, log_p in enumerate(log_probs[row].tolist())
            if log_p > -math.inf
        ]
        best = sorted(candidates, key=lambda candidate: -candidate[0])[:k]
        state = reorder(state, torch.tensor([row for _, row, _ in best]))
        beam = [([*beam[row][0], token], total) for total, row, token in best]
    finished = [(path, total) for path, total in beam if eos in path]
    found = finished or beam
    ranked = [(path, total / len(path) ** alpha, bool(finished)) for path, total in found]
    return sorted(ranked, key=lambda hypothesis: -hypothesis[1])[:k]


# %% wrong: first eos stops
# The search stops at the first eos.
# Message: You stopped at the first eos


def beam_search(step, state, bos, eos, k, max_length, alpha=0.0):
    beam, finished = [([], 0.0)], []
    for _ in range(max_length):
        tokens = torch.tensor([path[-1] if path else bos for path, _ in beam])
        log_probs, state = step(tokens, state)
        candidates = [
            (total + log_p, row, token)
            for row, (_, total) in enumerate(beam)
            for token, log_p in enumerate(log_probs[row].tolist())
            if log_p > -math.inf
        ]
        survivors, rows = [], []
        for total, row, token in sorted(candidates, key=lambda candidate: -candidate[0]):
            path = [*beam[row][0], token]
            if token == eos:
                finished.append((path, total))
            else:
                survivors.append((path, total))
                rows.append(row)
            if len(survivors) == k:
                break
        beam = survivors
        if finished:
            break
        if not beam:
            break
        state = reorder(state, torch.tensor(rows))
    found = finished or beam
    ranked = [(path, total / len(path) ** alpha, bool(finished)) for path, total in found]
    return sorted(ranked, key=lambda hypothesis: -hypothesis[1])[:k]


# %% wrong: library
# The library's own search does the work.
# Message: your answer calls course_lib.decoding.beam


def beam_search(step, state, bos, eos, k, max_length, alpha=0.0):
    from course_lib.decoding import beam_search as ready_made

    found = ready_made(step, state, torch.tensor([bos]), eos, max_length, k)[0].hypotheses
    return [(list(h.tokens), h.log_prob / len(h.tokens) ** alpha, h.finished) for h in found]


# %% wrong: no penalty
# alpha is ignored.
# Message: The length penalty is missing


def beam_search(step, state, bos, eos, k, max_length, alpha=0.0):
    beam, finished = [([], 0.0)], []
    for _ in range(max_length):
        tokens = torch.tensor([path[-1] if path else bos for path, _ in beam])
        log_probs, state = step(tokens, state)
        candidates = [
            (total + log_p, row, token)
            for row, (_, total) in enumerate(beam)
            for token, log_p in enumerate(log_probs[row].tolist())
            if log_p > -math.inf
        ]
        survivors, rows = [], []
        for total, row, token in sorted(candidates, key=lambda candidate: -candidate[0]):
            path = [*beam[row][0], token]
            if token == eos:
                finished.append((path, total))
            else:
                survivors.append((path, total))
                rows.append(row)
            if len(survivors) == k:
                break
        beam = survivors
        if not beam:
            break
        state = reorder(state, torch.tensor(rows))
    found = finished or beam
    ranked = [(path, total, bool(finished)) for path, total in found]
    return sorted(ranked, key=lambda hypothesis: -hypothesis[1])[:k]


# %% wrong: one child each
# Each hypothesis is extended by its best token only.
# Message: Every open hypothesis is extended by every token


def beam_search(step, state, bos, eos, k, max_length, alpha=0.0):
    log_probs, state = step(torch.tensor([bos]), state)
    order = log_probs[0].argsort(descending=True).tolist()
    first = [token for token in order if log_probs[0, token] > -math.inf]
    finished = [([eos], log_probs[0, eos].item())] if eos in first else []
    beam = [([token], log_probs[0, token].item()) for token in first if token != eos][:k]
    state = reorder(state, torch.zeros(len(beam), dtype=torch.int64))
    for _ in range(max_length - 1):
        log_probs, state = step(torch.tensor([path[-1] for path, _ in beam]), state)
        best = log_probs.max(dim=1)
        grown = [
            ([*path, token], total + log_p)
            for (path, total), log_p, token in zip(
                beam, best.values.tolist(), best.indices.tolist(), strict=True
            )
        ]
        rows = [row for row, (path, _) in enumerate(grown) if path[-1] != eos]
        finished += [hypothesis for hypothesis in grown if hypothesis[0][-1] == eos]
        beam = [grown[row] for row in rows]
        if not beam:
            break
        state = reorder(state, torch.tensor(rows))
    found = finished or beam
    ranked = [(path, total / len(path) ** alpha, bool(finished)) for path, total in found]
    return sorted(ranked, key=lambda hypothesis: -hypothesis[1])[:k]


# %% wrong: state not reordered
# The hypotheses are re-ordered, their states are not.
# Message: The rows of the state must follow their hypotheses


def beam_search(step, state, bos, eos, k, max_length, alpha=0.0):
    beam, finished = [([], 0.0)], []
    for _ in range(max_length):
        tokens = torch.tensor([path[-1] if path else bos for path, _ in beam])
        log_probs, state = step(tokens, state)
        candidates = [
            (total + log_p, row, token)
            for row, (_, total) in enumerate(beam)
            for token, log_p in enumerate(log_probs[row].tolist())
            if log_p > -math.inf
        ]
        survivors, rows = [], []
        for total, row, token in sorted(candidates, key=lambda candidate: -candidate[0]):
            path = [*beam[row][0], token]
            if token == eos:
                finished.append((path, total))
            else:
                survivors.append((path, total))
                rows.append(row)
            if len(survivors) == k:
                break
        beam = survivors
        if not beam:
            break
        state = reorder(state, torch.tensor([min(i, len(tokens) - 1) for i in range(len(rows))]))
    found = finished or beam
    ranked = [(path, total / len(path) ** alpha, bool(finished)) for path, total in found]
    return sorted(ranked, key=lambda hypothesis: -hypothesis[1])[:k]


# %% wrong: unfinished dropped
# Nothing finished, so nothing is returned.
# Message: Return the best open hypotheses


def beam_search(step, state, bos, eos, k, max_length, alpha=0.0):
    beam, finished = [([], 0.0)], []
    for _ in range(max_length):
        tokens = torch.tensor([path[-1] if path else bos for path, _ in beam])
        log_probs, state = step(tokens, state)
        candidates = [
            (total + log_p, row, token)
            for row, (_, total) in enumerate(beam)
            for token, log_p in enumerate(log_probs[row].tolist())
            if log_p > -math.inf
        ]
        survivors, rows = [], []
        for total, row, token in sorted(candidates, key=lambda candidate: -candidate[0]):
            path = [*beam[row][0], token]
            if token == eos:
                finished.append((path, total))
            else:
                survivors.append((path, total))
                rows.append(row)
            if len(survivors) == k:
                break
        beam = survivors
        if not beam:
            break
        state = reorder(state, torch.tensor(rows))
    ranked = [(path, total / len(path) ** alpha, bool(finished)) for path, total in finished]
    return sorted(ranked, key=lambda hypothesis: -hypothesis[1])[:k]


# %% wrong: unfinished marked finished
# A hypothesis that the limit cut off is called finished.
# Message: with False for finished


def beam_search(step, state, bos, eos, k, max_length, alpha=0.0):
    beam, finished = [([], 0.0)], []
    for _ in range(max_length):
        tokens = torch.tensor([path[-1] if path else bos for path, _ in beam])
        log_probs, state = step(tokens, state)
        candidates = [
            (total + log_p, row, token)
            for row, (_, total) in enumerate(beam)
            for token, log_p in enumerate(log_probs[row].tolist())
            if log_p > -math.inf
        ]
        survivors, rows = [], []
        for total, row, token in sorted(candidates, key=lambda candidate: -candidate[0]):
            path = [*beam[row][0], token]
            if token == eos:
                finished.append((path, total))
            else:
                survivors.append((path, total))
                rows.append(row)
            if len(survivors) == k:
                break
        beam = survivors
        if not beam:
            break
        state = reorder(state, torch.tensor(rows))
    found = finished or beam
    ranked = [(path, total / len(path) ** alpha, True) for path, total in found]
    return sorted(ranked, key=lambda hypothesis: -hypothesis[1])[:k]


# %% wrong: worst last
# The result is sorted the wrong way round.
# Message: The best hypothesis comes first


def beam_search(step, state, bos, eos, k, max_length, alpha=0.0):
    beam, finished = [([], 0.0)], []
    for _ in range(max_length):
        tokens = torch.tensor([path[-1] if path else bos for path, _ in beam])
        log_probs, state = step(tokens, state)
        candidates = [
            (total + log_p, row, token)
            for row, (_, total) in enumerate(beam)
            for token, log_p in enumerate(log_probs[row].tolist())
            if log_p > -math.inf
        ]
        survivors, rows = [], []
        for total, row, token in sorted(candidates, key=lambda candidate: -candidate[0]):
            path = [*beam[row][0], token]
            if token == eos:
                finished.append((path, total))
            else:
                survivors.append((path, total))
                rows.append(row)
            if len(survivors) == k:
                break
        beam = survivors
        if not beam:
            break
        state = reorder(state, torch.tensor(rows))
    found = finished or beam
    ranked = [(path, total / len(path) ** alpha, bool(finished)) for path, total in found]
    return sorted(ranked, key=lambda hypothesis: hypothesis[1])[:k]


# %% wrong: wrong sign
# The length penalty multiplies, so that it punishes length twice.
# Message: The length penalty has the wrong sign


def beam_search(step, state, bos, eos, k, max_length, alpha=0.0):
    beam, finished = [([], 0.0)], []
    for _ in range(max_length):
        tokens = torch.tensor([path[-1] if path else bos for path, _ in beam])
        log_probs, state = step(tokens, state)
        candidates = [
            (total + log_p, row, token)
            for row, (_, total) in enumerate(beam)
            for token, log_p in enumerate(log_probs[row].tolist())
            if log_p > -math.inf
        ]
        survivors, rows = [], []
        for total, row, token in sorted(candidates, key=lambda candidate: -candidate[0]):
            path = [*beam[row][0], token]
            if token == eos:
                finished.append((path, total))
            else:
                survivors.append((path, total))
                rows.append(row)
            if len(survivors) == k:
                break
        beam = survivors
        if not beam:
            break
        state = reorder(state, torch.tensor(rows))
    found = finished or beam
    ranked = [(path, total * len(path) ** alpha, bool(finished)) for path, total in found]
    return sorted(ranked, key=lambda hypothesis: -hypothesis[1])[:k]


# %% wrong: stops at k
# The search stops as soon as k hypotheses have finished.
# Message: k finished hypotheses are no reason to stop


def beam_search(step, state, bos, eos, k, max_length, alpha=0.0):
    beam, finished = [([], 0.0)], []
    for _ in range(max_length):
        log_probs, state = step(torch.tensor([path[-1] if path else bos for path, _ in beam]), state)
        candidates = [
            (total + log_p, row, token)
            for row, (_, total) in enumerate(beam)
            for token, log_p in enumerate(log_probs[row].tolist())
            if log_p > -math.inf
        ]
        survivors, rows = [], []
        for total, row, token in sorted(candidates, key=lambda candidate: -candidate[0]):
            path = [*beam[row][0], token]
            if token == eos:
                finished.append((path, total))
            elif len(survivors) < k:
                survivors.append((path, total))
                rows.append(row)
            if len(survivors) == k:
                break
        beam = survivors
        if not beam or len(finished) >= k:
            break
        state = reorder(state, torch.tensor(rows))
    ranked = [(path, total / len(path) ** alpha, bool(finished)) for path, total in finished or beam]
    return sorted(ranked, key=lambda hypothesis: -hypothesis[1])[:k]


# %% wrong: stops at 2k
# The search stops as soon as 2 k hypotheses have finished.
# Message: Finished hypotheses are no reason to stop


def beam_search(step, state, bos, eos, k, max_length, alpha=0.0):
    beam, finished = [([], 0.0)], []
    for _ in range(max_length):
        log_probs, state = step(torch.tensor([path[-1] if path else bos for path, _ in beam]), state)
        candidates = [
            (total + log_p, row, token)
            for row, (_, total) in enumerate(beam)
            for token, log_p in enumerate(log_probs[row].tolist())
            if log_p > -math.inf
        ]
        survivors, rows = [], []
        for total, row, token in sorted(candidates, key=lambda candidate: -candidate[0]):
            path = [*beam[row][0], token]
            if token == eos:
                finished.append((path, total))
            elif len(survivors) < k:
                survivors.append((path, total))
                rows.append(row)
            if len(survivors) == k:
                break
        beam = survivors
        if not beam or len(finished) >= 2 * k:
            break
        state = reorder(state, torch.tensor(rows))
    ranked = [(path, total / len(path) ** alpha, bool(finished)) for path, total in finished or beam]
    return sorted(ranked, key=lambda hypothesis: -hypothesis[1])[:k]


# %% wrong: every eos finishes
# An eos finishes its hypothesis however far down the list it stands.
# Message: an eos below them is lost


def beam_search(step, state, bos, eos, k, max_length, alpha=0.0):
    beam, finished = [([], 0.0)], []
    for _ in range(max_length):
        log_probs, state = step(torch.tensor([path[-1] if path else bos for path, _ in beam]), state)
        candidates = [
            (total + log_p, row, token)
            for row, (_, total) in enumerate(beam)
            for token, log_p in enumerate(log_probs[row].tolist())
            if log_p > -math.inf
        ]
        survivors, rows = [], []
        for total, row, token in sorted(candidates, key=lambda candidate: -candidate[0]):
            path = [*beam[row][0], token]
            if token == eos:
                finished.append((path, total))
            elif len(survivors) < k:
                survivors.append((path, total))
                rows.append(row)
        beam = survivors
        if not beam:
            break
        state = reorder(state, torch.tensor(rows))
    ranked = [(path, total / len(path) ** alpha, bool(finished)) for path, total in finished or beam]
    return sorted(ranked, key=lambda hypothesis: -hypothesis[1])[:k]


# %% wrong: first 2k candidates
# The first 2 k candidates are looked at, whatever is open by then.
# Message: an eos below them is lost


def beam_search(step, state, bos, eos, k, max_length, alpha=0.0):
    beam, finished = [([], 0.0)], []
    for _ in range(max_length):
        log_probs, state = step(torch.tensor([path[-1] if path else bos for path, _ in beam]), state)
        candidates = [
            (total + log_p, row, token)
            for row, (_, total) in enumerate(beam)
            for token, log_p in enumerate(log_probs[row].tolist())
            if log_p > -math.inf
        ]
        survivors, rows = [], []
        for total, row, token in sorted(candidates, key=lambda candidate: -candidate[0])[: 2 * k]:
            path = [*beam[row][0], token]
            if token == eos:
                finished.append((path, total))
            elif len(survivors) < k:
                survivors.append((path, total))
                rows.append(row)
        beam = survivors
        if not beam:
            break
        state = reorder(state, torch.tensor(rows))
    ranked = [(path, total / len(path) ** alpha, bool(finished)) for path, total in finished or beam]
    return sorted(ranked, key=lambda hypothesis: -hypothesis[1])[:k]
