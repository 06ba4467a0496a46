# %% right: penalised order
# Candidates of a step have the same length, so they are ordered by their penalised score.


def beam_search(step, state, bos, eos, k, max_length, alpha):
    def score(total, length):
        return total / ((5 + length) / 6) ** alpha

    opened, ended, steps = [((), 0.0)], {}, 0
    while steps < max_length and opened:
        best = sorted(ended.values(), reverse=True)[:k]
        if len(best) == k and max(score(total, max_length) for _, total in opened) <= best[-1]:
            return [(list(path), s) for path, s in sorted(ended.items(), key=lambda e: -e[1])[:k]], steps
        log_probs, state = step(torch.tensor([(bos, *path)[-1] for path, _ in opened]), state)
        steps += 1
        extended = {}
        for row, (path, total) in enumerate(opened):
            for token in range(log_probs.shape[1]):
                if torch.isfinite(log_probs[row, token]):
                    extended[(*path, token)] = (total + float(log_probs[row, token]), row)
        ranked = sorted(extended, key=lambda path: -score(extended[path][0], steps))
        ended |= {path: score(extended[path][0], steps) for path in ranked[:k] if path[-1] == eos}
        ranked = [path for path in ranked if path[-1] != eos][:k]
        opened = [(path, extended[path][0]) for path in ranked]
        state = reorder(state, torch.tensor([extended[path][1] for path in ranked], dtype=torch.int64))
    return [(list(path), s) for path, s in sorted(ended.items(), key=lambda e: -e[1])[:k]], steps


# %% right: tensors
# Written with one topk over the flattened candidates.


def beam_search(step, state, bos, eos, k, max_length, alpha):
    lp = [((5 + n) / 6) ** alpha for n in range(max_length + 1)]
    paths, totals, done = [[]], torch.zeros(1, dtype=torch.float64), []
    tokens = torch.tensor([bos])
    for n in range(1, max_length + 1):
        log_probs, state = step(tokens, state)
        scores = totals.unsqueeze(1) + log_probs
        size = scores.shape[1]
        values, places = scores.flatten().topk(min(k, scores.numel()))
        for value, place in zip(values.tolist(), places.tolist(), strict=True):
            if place % size == eos and value > -math.inf:
                done.append((value / lp[n], [*paths[place // size], eos]))
        scores[:, eos] = -math.inf
        values, places = scores.flatten().topk(min(k, scores.numel()))
        places = places[values > -math.inf]
        totals = values[values > -math.inf]
        rows, tokens = places // size, places % size
        paths = [[*paths[row], token] for row, token in zip(rows.tolist(), tokens.tolist(), strict=True)]
        state = reorder(state, rows)
        done = sorted(done, key=lambda found: -found[0])
        if not paths or (len(done) >= k and totals[0].item() / lp[max_length] <= done[k - 1][0]):
            break
    return [(path, score) for score, path in done[:k]], n


# %% wrong: best not kth
# The search stops when nothing can beat the best finished one.
# Message: Compare with the k-th best of the finished ones, not with the best: k hypotheses are asked for


def beam_search(step, state, bos, eos, k, max_length, alpha):
    def penalty(length):
        return ((5 + length) / 6) ** alpha

    beam, finished, steps = [([], 0.0)], [], 0
    while beam and steps < max_length:
        if finished and beam[0][1] / penalty(max_length) <= finished[0][1]:
            break
        tokens = torch.tensor([path[-1] if path else bos for path, _ in beam])
        log_probs, state = step(tokens, state)
        steps += 1
        candidates = [
            (total + log_p, row, token)
            for row, (_, total) in enumerate(beam)
            for token, log_p in enumerate(log_probs[row].tolist())
            if log_p > -math.inf
        ]
        candidates.sort(key=lambda candidate: -candidate[0])
        for total, row, token in candidates[:k]:
            if token == eos:
                finished.append(([*beam[row][0], token], total / penalty(steps)))
        finished.sort(key=lambda hypothesis: -hypothesis[1])
        going_on = [candidate for candidate in candidates if candidate[2] != eos][:k]
        beam = [([*beam[row][0], token], total) for total, row, token in going_on]
        state = reorder(state, torch.tensor([row for _, row, _ in going_on], dtype=torch.long))
    return finished[:k], steps


# %% wrong: bos counted
# bos counts as a token.
# Message: |y| does not count bos; your length is one too large


def beam_search(step, state, bos, eos, k, max_length, alpha):
    def penalty(length):
        return ((5 + length) / 6) ** alpha

    beam, finished, steps = [([], 0.0)], [], 0
    while beam and steps < max_length:
        if len(finished) >= k and beam[0][1] / penalty(max_length) <= finished[k - 1][1]:
            break
        tokens = torch.tensor([path[-1] if path else bos for path, _ in beam])
        log_probs, state = step(tokens, state)
        steps += 1
        candidates = [
            (total + log_p, row, token)
            for row, (_, total) in enumerate(beam)
            for token, log_p in enumerate(log_probs[row].tolist())
            if log_p > -math.inf
        ]
        candidates.sort(key=lambda candidate: -candidate[0])
        for total, row, token in candidates[:k]:
            if token == eos:
                finished.append(([*beam[row][0], token], total / penalty(steps + 1)))
        finished.sort(key=lambda hypothesis: -hypothesis[1])
        going_on = [candidate for candidate in candidates if candidate[2] != eos][:k]
        beam = [([*beam[row][0], token], total) for total, row, token in going_on]
        state = reorder(state, torch.tensor([row for _, row, _ in going_on], dtype=torch.long))
    return finished[:k], steps


# %% wrong: bos shown
# bos is part of the tokens.
# Message: bos does not belong to the tokens


def beam_search(step, state, bos, eos, k, max_length, alpha):
    def penalty(length):
        return ((5 + length) / 6) ** alpha

    beam, finished, steps = [([], 0.0)], [], 0
    while beam and steps < max_length:
        if len(finished) >= k and beam[0][1] / penalty(max_length) <= finished[k - 1][1]:
            break
        tokens = torch.tensor([path[-1] if path else bos for path, _ in beam])
        log_probs, state = step(tokens, state)
        steps += 1
        candidates = [
            (total + log_p, row, token)
            for row, (_, total) in enumerate(beam)
            for token, log_p in enumerate(log_probs[row].tolist())
            if log_p > -math.inf
        ]
        candidates.sort(key=lambda candidate: -candidate[0])
        for total, row, token in candidates[:k]:
            if token == eos:
                finished.append(([*beam[row][0], token], total / penalty(steps)))
        finished.sort(key=lambda hypothesis: -hypothesis[1])
        going_on = [candidate for candidate in candidates if candidate[2] != eos][:k]
        beam = [([*beam[row][0], token], total) for total, row, token in going_on]
        state = reorder(state, torch.tensor([row for _, row, _ in going_on], dtype=torch.long))
    return [([bos, *path], s) for path, s in finished[:k]], steps


# %% wrong: bound now
# An open hypothesis is compared by the penalty of its own length.
# Message: An open hypothesis can grow: its best possible score has the penalty of max_length, not of its


def beam_search(step, state, bos, eos, k, max_length, alpha):
    def penalty(length):
        return ((5 + length) / 6) ** alpha

    beam, finished, steps = [([], 0.0)], [], 0
    while beam and steps < max_length:
        if len(finished) >= k and beam[0][1] / penalty(steps) <= finished[k - 1][1]:
            break
        tokens = torch.tensor([path[-1] if path else bos for path, _ in beam])
        log_probs, state = step(tokens, state)
        steps += 1
        candidates = [
            (total + log_p, row, token)
            for row, (_, total) in enumerate(beam)
            for token, log_p in enumerate(log_probs[row].tolist())
            if log_p > -math.inf
        ]
        candidates.sort(key=lambda candidate: -candidate[0])
        for total, row, token in candidates[:k]:
            if token == eos:
                finished.append(([*beam[row][0], token], total / penalty(steps)))
        finished.sort(key=lambda hypothesis: -hypothesis[1])
        going_on = [candidate for candidate in candidates if candidate[2] != eos][:k]
        beam = [([*beam[row][0], token], total) for total, row, token in going_on]
        state = reorder(state, torch.tensor([row for _, row, _ in going_on], dtype=torch.long))
    return finished[:k], steps


# %% wrong: eos cut off
# eos is left out of the tokens.
# Message: eos belongs to the tokens


def beam_search(step, state, bos, eos, k, max_length, alpha):
    def penalty(length):
        return ((5 + length) / 6) ** alpha

    beam, finished, steps = [([], 0.0)], [], 0
    while beam and steps < max_length:
        if len(finished) >= k and beam[0][1] / penalty(max_length) <= finished[k - 1][1]:
            break
        tokens = torch.tensor([path[-1] if path else bos for path, _ in beam])
        log_probs, state = step(tokens, state)
        steps += 1
        candidates = [
            (total + log_p, row, token)
            for row, (_, total) in enumerate(beam)
            for token, log_p in enumerate(log_probs[row].tolist())
            if log_p > -math.inf
        ]
        candidates.sort(key=lambda candidate: -candidate[0])
        for total, row, token in candidates[:k]:
            if token == eos:
                finished.append(([*beam[row][0], token], total / penalty(steps)))
        finished.sort(key=lambda hypothesis: -hypothesis[1])
        going_on = [candidate for candidate in candidates if candidate[2] != eos][:k]
        beam = [([*beam[row][0], token], total) for total, row, token in going_on]
        state = reorder(state, torch.tensor([row for _, row, _ in going_on], dtype=torch.long))
    return [(path[:-1], s) for path, s in finished[:k]], steps


# %% wrong: eos not counted
# eos does not count as a token.
# Message: |y| counts eos; your length is one too small


def beam_search(step, state, bos, eos, k, max_length, alpha):
    def penalty(length):
        return ((5 + length) / 6) ** alpha

    beam, finished, steps = [([], 0.0)], [], 0
    while beam and steps < max_length:
        if len(finished) >= k and beam[0][1] / penalty(max_length) <= finished[k - 1][1]:
            break
        tokens = torch.tensor([path[-1] if path else bos for path, _ in beam])
        log_probs, state = step(tokens, state)
        steps += 1
        candidates = [
            (total + log_p, row, token)
            for row, (_, total) in enumerate(beam)
            for token, log_p in enumerate(log_probs[row].tolist())
            if log_p > -math.inf
        ]
        candidates.sort(key=lambda candidate: -candidate[0])
        for total, row, token in candidates[:k]:
            if token == eos:
                finished.append(([*beam[row][0], token], total / penalty(steps - 1)))
        finished.sort(key=lambda hypothesis: -hypothesis[1])
        going_on = [candidate for candidate in candidates if candidate[2] != eos][:k]
        beam = [([*beam[row][0], token], total) for total, row, token in going_on]
        state = reorder(state, torch.tensor([row for _, row, _ in going_on], dtype=torch.long))
    return finished[:k], steps


# %% wrong: extended
# A finished hypothesis is extended like any other.
# Message: A finished hypothesis is never extended; with you something follows eos


def beam_search(step, state, bos, eos, k, max_length, alpha):
    def penalty(length):
        return ((5 + length) / 6) ** alpha

    beam, finished, steps = [([], 0.0)], [], 0
    while beam and steps < max_length:
        if len(finished) >= k and beam[0][1] / penalty(max_length) <= finished[k - 1][1]:
            break
        tokens = torch.tensor([path[-1] if path else bos for path, _ in beam])
        log_probs, state = step(tokens, state)
        steps += 1
        candidates = [
            (total + log_p, row, token)
            for row, (_, total) in enumerate(beam)
            for token, log_p in enumerate(log_probs[row].tolist())
            if log_p > -math.inf
        ]
        candidates.sort(key=lambda candidate: -candidate[0])
        for total, row, token in candidates[:k]:
            if token == eos:
                finished.append(([*beam[row][0], token], total / penalty(steps)))
        finished.sort(key=lambda hypothesis: -hypothesis[1])
        going_on = candidates[:k]
        beam = [([*beam[row][0], token], total) for total, row, token in going_on]
        state = reorder(state, torch.tensor([row for _, row, _ in going_on], dtype=torch.long))
    return finished[:k], steps


# %% wrong: first eos
# The search stops as soon as one hypothesis has finished.
# Message: You stopped at the first eos; a better sentence may finish later


def beam_search(step, state, bos, eos, k, max_length, alpha):
    def penalty(length):
        return ((5 + length) / 6) ** alpha

    beam, finished, steps = [([], 0.0)], [], 0
    while beam and steps < max_length:
        if finished:
            break
        tokens = torch.tensor([path[-1] if path else bos for path, _ in beam])
        log_probs, state = step(tokens, state)
        steps += 1
        candidates = [
            (total + log_p, row, token)
            for row, (_, total) in enumerate(beam)
            for token, log_p in enumerate(log_probs[row].tolist())
            if log_p > -math.inf
        ]
        candidates.sort(key=lambda candidate: -candidate[0])
        for total, row, token in candidates[:k]:
            if token == eos:
                finished.append(([*beam[row][0], token], total / penalty(steps)))
        finished.sort(key=lambda hypothesis: -hypothesis[1])
        going_on = [candidate for candidate in candidates if candidate[2] != eos][:k]
        beam = [([*beam[row][0], token], total) for total, row, token in going_on]
        state = reorder(state, torch.tensor([row for _, row, _ in going_on], dtype=torch.long))
    return finished[:k], steps


# %% wrong: first step k
# The first step is taken with k copies of bos.
# Message: Start with one hypothesis, the empty one, not with k of them: the copies fill the beam with


def beam_search(step, state, bos, eos, k, max_length, alpha):
    def penalty(length):
        return ((5 + length) / 6) ** alpha

    beam, finished, steps = [([], 0.0)] * k, [], 0
    state = reorder(state, torch.zeros(k, dtype=torch.long))
    while beam and steps < max_length:
        if len(finished) >= k and beam[0][1] / penalty(max_length) <= finished[k - 1][1]:
            break
        tokens = torch.tensor([path[-1] if path else bos for path, _ in beam])
        log_probs, state = step(tokens, state)
        steps += 1
        candidates = [
            (total + log_p, row, token)
            for row, (_, total) in enumerate(beam)
            for token, log_p in enumerate(log_probs[row].tolist())
            if log_p > -math.inf
        ]
        candidates.sort(key=lambda candidate: -candidate[0])
        for total, row, token in candidates[:k]:
            if token == eos:
                finished.append(([*beam[row][0], token], total / penalty(steps)))
        finished.sort(key=lambda hypothesis: -hypothesis[1])
        going_on = [candidate for candidate in candidates if candidate[2] != eos][:k]
        beam = [([*beam[row][0], token], total) for total, row, token in going_on]
        state = reorder(state, torch.tensor([row for _, row, _ in going_on], dtype=torch.long))
    return finished[:k], steps


# %% wrong: impossible
# Candidates of probability 0 are kept.
# Message: A candidate with −∞ is left out


def beam_search(step, state, bos, eos, k, max_length, alpha):
    def penalty(length):
        return ((5 + length) / 6) ** alpha

    beam, finished, steps = [([], 0.0)], [], 0
    while beam and steps < max_length:
        if len(finished) >= k and beam[0][1] / penalty(max_length) <= finished[k - 1][1]:
            break
        tokens = torch.tensor([path[-1] if path else bos for path, _ in beam])
        log_probs, state = step(tokens, state)
        steps += 1
        candidates = [
            (total + log_p, row, token)
            for row, (_, total) in enumerate(beam)
            for token, log_p in enumerate(log_probs[row].tolist())
        ]
        candidates.sort(key=lambda candidate: -candidate[0])
        for total, row, token in candidates[:k]:
            if token == eos:
                finished.append(([*beam[row][0], token], total / penalty(steps)))
        finished.sort(key=lambda hypothesis: -hypothesis[1])
        going_on = [candidate for candidate in candidates if candidate[2] != eos][:k]
        beam = [([*beam[row][0], token], total) for total, row, token in going_on]
        state = reorder(state, torch.tensor([row for _, row, _ in going_on], dtype=torch.long))
    return finished[:k], steps


# %% wrong: k finished
# The search stops as soon as k have finished.
# Message: k finished hypotheses are not enough to stop: an open one may still beat them


def beam_search(step, state, bos, eos, k, max_length, alpha):
    def penalty(length):
        return ((5 + length) / 6) ** alpha

    beam, finished, steps = [([], 0.0)], [], 0
    while beam and steps < max_length:
        if len(finished) >= k:
            break
        tokens = torch.tensor([path[-1] if path else bos for path, _ in beam])
        log_probs, state = step(tokens, state)
        steps += 1
        candidates = [
            (total + log_p, row, token)
            for row, (_, total) in enumerate(beam)
            for token, log_p in enumerate(log_probs[row].tolist())
            if log_p > -math.inf
        ]
        candidates.sort(key=lambda candidate: -candidate[0])
        for total, row, token in candidates[:k]:
            if token == eos:
                finished.append(([*beam[row][0], token], total / penalty(steps)))
        finished.sort(key=lambda hypothesis: -hypothesis[1])
        going_on = [candidate for candidate in candidates if candidate[2] != eos][:k]
        beam = [([*beam[row][0], token], total) for total, row, token in going_on]
        state = reorder(state, torch.tensor([row for _, row, _ in going_on], dtype=torch.long))
    return finished[:k], steps


# %% wrong: k of each
# Each hypothesis keeps its own best continuation.
# Message: Order the candidates of all hypotheses together; yours keeps the best of each


def beam_search(step, state, bos, eos, k, max_length, alpha):
    def penalty(length):
        return ((5 + length) / 6) ** alpha

    beam, finished, steps = [([], 0.0)], [], 0
    while beam and steps < max_length:
        if len(finished) >= k and beam[0][1] / penalty(max_length) <= finished[k - 1][1]:
            break
        tokens = torch.tensor([path[-1] if path else bos for path, _ in beam])
        log_probs, state = step(tokens, state)
        steps += 1
        candidates = [
            (total + log_p, row, token)
            for row, (_, total) in enumerate(beam)
            for token, log_p in enumerate(log_probs[row].tolist())
            if log_p > -math.inf
        ]
        candidates.sort(key=lambda candidate: -candidate[0])
        for total, row, token in candidates[:k]:
            if token == eos:
                finished.append(([*beam[row][0], token], total / penalty(steps)))
        finished.sort(key=lambda hypothesis: -hypothesis[1])
        going_on = [c for c in candidates if c[2] != eos]
        going_on = [
            c for i, c in enumerate(going_on) if steps == 1 or c[1] not in [d[1] for d in going_on[:i]]
        ][:k]
        beam = [([*beam[row][0], token], total) for total, row, token in going_on]
        state = reorder(state, torch.tensor([row for _, row, _ in going_on], dtype=torch.long))
    return finished[:k], steps


# %% wrong: late finish
# Candidates behind the first k may finish, too.
# Message: Only among the first k candidates of a step a hypothesis can finish; yours takes candidates


def beam_search(step, state, bos, eos, k, max_length, alpha):
    def penalty(length):
        return ((5 + length) / 6) ** alpha

    beam, finished, steps = [([], 0.0)], [], 0
    while beam and steps < max_length:
        if len(finished) >= k and beam[0][1] / penalty(max_length) <= finished[k - 1][1]:
            break
        tokens = torch.tensor([path[-1] if path else bos for path, _ in beam])
        log_probs, state = step(tokens, state)
        steps += 1
        candidates = [
            (total + log_p, row, token)
            for row, (_, total) in enumerate(beam)
            for token, log_p in enumerate(log_probs[row].tolist())
            if log_p > -math.inf
        ]
        candidates.sort(key=lambda candidate: -candidate[0])
        for total, row, token in candidates:
            if token == eos:
                finished.append(([*beam[row][0], token], total / penalty(steps)))
        finished.sort(key=lambda hypothesis: -hypothesis[1])
        going_on = [candidate for candidate in candidates if candidate[2] != eos][:k]
        beam = [([*beam[row][0], token], total) for total, row, token in going_on]
        state = reorder(state, torch.tensor([row for _, row, _ in going_on], dtype=torch.long))
    return finished[:k], steps


# %% wrong: library
# The library's search is called.
# Message: your answer calls course_lib.decoding


def beam_search(step, state, bos, eos, k, max_length, alpha):
    import course_lib.decoding as library

    penalty = library.LengthPenalty("gnmt", alpha)
    [result] = library.beam_search(step, state, torch.tensor([bos]), eos, max_length, k, penalty)
    return [(list(h.tokens), h.score) for h in result.hypotheses if h.finished], max_length


# %% wrong: log p returned
# log p is returned, not the score.
# Message: That is log p; the score is log p divided by the length penalty


def beam_search(step, state, bos, eos, k, max_length, alpha):
    def penalty(length):
        return ((5 + length) / 6) ** alpha

    beam, finished, steps = [([], 0.0)], [], 0
    while beam and steps < max_length:
        if len(finished) >= k and beam[0][1] / penalty(max_length) <= finished[k - 1][1]:
            break
        tokens = torch.tensor([path[-1] if path else bos for path, _ in beam])
        log_probs, state = step(tokens, state)
        steps += 1
        candidates = [
            (total + log_p, row, token)
            for row, (_, total) in enumerate(beam)
            for token, log_p in enumerate(log_probs[row].tolist())
            if log_p > -math.inf
        ]
        candidates.sort(key=lambda candidate: -candidate[0])
        for total, row, token in candidates[:k]:
            if token == eos:
                finished.append(([*beam[row][0], token], total / penalty(steps)))
        finished.sort(key=lambda hypothesis: -hypothesis[1])
        going_on = [candidate for candidate in candidates if candidate[2] != eos][:k]
        beam = [([*beam[row][0], token], total) for total, row, token in going_on]
        state = reorder(state, torch.tensor([row for _, row, _ in going_on], dtype=torch.long))
    return [(path, s * penalty(len(path))) for path, s in finished[:k]], steps


# %% wrong: never stops
# The search always goes on to max_length.
# Message: The search should stop as soon as no open hypothesis can still beat the k-th best finished


def beam_search(step, state, bos, eos, k, max_length, alpha):
    def penalty(length):
        return ((5 + length) / 6) ** alpha

    beam, finished, steps = [([], 0.0)], [], 0
    while beam and steps < max_length:
        if False:
            break
        tokens = torch.tensor([path[-1] if path else bos for path, _ in beam])
        log_probs, state = step(tokens, state)
        steps += 1
        candidates = [
            (total + log_p, row, token)
            for row, (_, total) in enumerate(beam)
            for token, log_p in enumerate(log_probs[row].tolist())
            if log_p > -math.inf
        ]
        candidates.sort(key=lambda candidate: -candidate[0])
        for total, row, token in candidates[:k]:
            if token == eos:
                finished.append(([*beam[row][0], token], total / penalty(steps)))
        finished.sort(key=lambda hypothesis: -hypothesis[1])
        going_on = [candidate for candidate in candidates if candidate[2] != eos][:k]
        beam = [([*beam[row][0], token], total) for total, row, token in going_on]
        state = reorder(state, torch.tensor([row for _, row, _ in going_on], dtype=torch.long))
    return finished[:k], steps


# %% wrong: no penalty
# The length penalty has no influence.
# Message: The length penalty has no influence on the score


def beam_search(step, state, bos, eos, k, max_length, alpha):
    def penalty(length):
        return 1.0

    beam, finished, steps = [([], 0.0)], [], 0
    while beam and steps < max_length:
        if len(finished) >= k and beam[0][1] / penalty(max_length) <= finished[k - 1][1]:
            break
        tokens = torch.tensor([path[-1] if path else bos for path, _ in beam])
        log_probs, state = step(tokens, state)
        steps += 1
        candidates = [
            (total + log_p, row, token)
            for row, (_, total) in enumerate(beam)
            for token, log_p in enumerate(log_probs[row].tolist())
            if log_p > -math.inf
        ]
        candidates.sort(key=lambda candidate: -candidate[0])
        for total, row, token in candidates[:k]:
            if token == eos:
                finished.append(([*beam[row][0], token], total / penalty(steps)))
        finished.sort(key=lambda hypothesis: -hypothesis[1])
        going_on = [candidate for candidate in candidates if candidate[2] != eos][:k]
        beam = [([*beam[row][0], token], total) for total, row, token in going_on]
        state = reorder(state, torch.tensor([row for _, row, _ in going_on], dtype=torch.long))
    return finished[:k], steps


# %% wrong: one place less
# The beam shrinks by one with each hypothesis that has finished.
# Message: Finished hypotheses do not shrink the beam: k stay open, however many have finished


def beam_search(step, state, bos, eos, k, max_length, alpha):
    def penalty(length):
        return ((5 + length) / 6) ** alpha

    beam, finished, steps = [([], 0.0)], [], 0
    while beam and steps < max_length:
        if len(finished) >= k and beam[0][1] / penalty(max_length) <= finished[k - 1][1]:
            break
        tokens = torch.tensor([path[-1] if path else bos for path, _ in beam])
        log_probs, state = step(tokens, state)
        steps += 1
        candidates = [
            (total + log_p, row, token)
            for row, (_, total) in enumerate(beam)
            for token, log_p in enumerate(log_probs[row].tolist())
            if log_p > -math.inf
        ]
        candidates.sort(key=lambda candidate: -candidate[0])
        for total, row, token in candidates[:k]:
            if token == eos:
                finished.append(([*beam[row][0], token], total / penalty(steps)))
        finished.sort(key=lambda hypothesis: -hypothesis[1])
        going_on = [candidate for candidate in candidates if candidate[2] != eos][: max(1, k - len(finished))]
        beam = [([*beam[row][0], token], total) for total, row, token in going_on]
        state = reorder(state, torch.tensor([row for _, row, _ in going_on], dtype=torch.long))
    return finished[:k], steps


# %% wrong: penalty times
# The penalty is multiplied.
# Message: The length penalty is turned round: divide log p by it. log p is negative, so a product


def beam_search(step, state, bos, eos, k, max_length, alpha):
    def penalty(length):
        return ((5 + length) / 6) ** alpha

    beam, finished, steps = [([], 0.0)], [], 0
    while beam and steps < max_length:
        if len(finished) >= k and beam[0][1] * penalty(1) <= finished[k - 1][1]:
            break
        tokens = torch.tensor([path[-1] if path else bos for path, _ in beam])
        log_probs, state = step(tokens, state)
        steps += 1
        candidates = [
            (total + log_p, row, token)
            for row, (_, total) in enumerate(beam)
            for token, log_p in enumerate(log_probs[row].tolist())
            if log_p > -math.inf
        ]
        candidates.sort(key=lambda candidate: -candidate[0])
        for total, row, token in candidates[:k]:
            if token == eos:
                finished.append(([*beam[row][0], token], total * penalty(steps)))
        finished.sort(key=lambda hypothesis: -hypothesis[1])
        going_on = [candidate for candidate in candidates if candidate[2] != eos][:k]
        beam = [([*beam[row][0], token], total) for total, row, token in going_on]
        state = reorder(state, torch.tensor([row for _, row, _ in going_on], dtype=torch.long))
    return finished[:k], steps


# %% wrong: plain length
# The score is divided by a power of the length.
# Message: The penalty is ((5 + |y|) / 6)^α; yours is |y|^α


def beam_search(step, state, bos, eos, k, max_length, alpha):
    def penalty(length):
        return length**alpha

    beam, finished, steps = [([], 0.0)], [], 0
    while beam and steps < max_length:
        if len(finished) >= k and beam[0][1] / penalty(max_length) <= finished[k - 1][1]:
            break
        tokens = torch.tensor([path[-1] if path else bos for path, _ in beam])
        log_probs, state = step(tokens, state)
        steps += 1
        candidates = [
            (total + log_p, row, token)
            for row, (_, total) in enumerate(beam)
            for token, log_p in enumerate(log_probs[row].tolist())
            if log_p > -math.inf
        ]
        candidates.sort(key=lambda candidate: -candidate[0])
        for total, row, token in candidates[:k]:
            if token == eos:
                finished.append(([*beam[row][0], token], total / penalty(steps)))
        finished.sort(key=lambda hypothesis: -hypothesis[1])
        going_on = [candidate for candidate in candidates if candidate[2] != eos][:k]
        beam = [([*beam[row][0], token], total) for total, row, token in going_on]
        state = reorder(state, torch.tensor([row for _, row, _ in going_on], dtype=torch.long))
    return finished[:k], steps


# %% wrong: ranked by log p
# The result is ordered by log p.
# Message: Rank the finished hypotheses by their penalised score, not by log p


def beam_search(step, state, bos, eos, k, max_length, alpha):
    def penalty(length):
        return ((5 + length) / 6) ** alpha

    beam, finished, steps = [([], 0.0)], [], 0
    while beam and steps < max_length:
        if len(finished) >= k and beam[0][1] / penalty(max_length) <= finished[k - 1][1]:
            break
        tokens = torch.tensor([path[-1] if path else bos for path, _ in beam])
        log_probs, state = step(tokens, state)
        steps += 1
        candidates = [
            (total + log_p, row, token)
            for row, (_, total) in enumerate(beam)
            for token, log_p in enumerate(log_probs[row].tolist())
            if log_p > -math.inf
        ]
        candidates.sort(key=lambda candidate: -candidate[0])
        for total, row, token in candidates[:k]:
            if token == eos:
                finished.append(([*beam[row][0], token], total / penalty(steps)))
        finished.sort(key=lambda hypothesis: -hypothesis[1] * penalty(len(hypothesis[0])))
        going_on = [candidate for candidate in candidates if candidate[2] != eos][:k]
        beam = [([*beam[row][0], token], total) for total, row, token in going_on]
        state = reorder(state, torch.tensor([row for _, row, _ in going_on], dtype=torch.long))
    return finished[:k], steps


# %% wrong: runs dry
# Nothing is done when no hypothesis is open.
# Message: Nothing is open any more: stop


def beam_search(step, state, bos, eos, k, max_length, alpha):
    def penalty(length):
        return ((5 + length) / 6) ** alpha

    beam, finished, steps = [([], 0.0)], [], 0
    while steps < max_length:
        if len(finished) >= k and beam[0][1] / penalty(max_length) <= finished[k - 1][1]:
            break
        tokens = torch.tensor([path[-1] if path else bos for path, _ in beam])
        log_probs, state = step(tokens, state)
        steps += 1
        candidates = [
            (total + log_p, row, token)
            for row, (_, total) in enumerate(beam)
            for token, log_p in enumerate(log_probs[row].tolist())
            if log_p > -math.inf
        ]
        candidates.sort(key=lambda candidate: -candidate[0])
        for total, row, token in candidates[:k]:
            if token == eos:
                finished.append(([*beam[row][0], token], total / penalty(steps)))
        finished.sort(key=lambda hypothesis: -hypothesis[1])
        going_on = [candidate for candidate in candidates if candidate[2] != eos][:k]
        beam = [([*beam[row][0], token], total) for total, row, token in going_on]
        state = reorder(state, torch.tensor([row for _, row, _ in going_on], dtype=torch.long))
    return finished[:k], steps


# %% wrong: state stays
# The rows of the state do not follow.
# Message: The rows of the state must follow their hypotheses


def beam_search(step, state, bos, eos, k, max_length, alpha):
    def penalty(length):
        return ((5 + length) / 6) ** alpha

    beam, finished, steps = [([], 0.0)], [], 0
    while beam and steps < max_length:
        if len(finished) >= k and beam[0][1] / penalty(max_length) <= finished[k - 1][1]:
            break
        tokens = torch.tensor([path[-1] if path else bos for path, _ in beam])
        log_probs, state = step(tokens, state)
        steps += 1
        candidates = [
            (total + log_p, row, token)
            for row, (_, total) in enumerate(beam)
            for token, log_p in enumerate(log_probs[row].tolist())
            if log_p > -math.inf
        ]
        candidates.sort(key=lambda candidate: -candidate[0])
        for total, row, token in candidates[:k]:
            if token == eos:
                finished.append(([*beam[row][0], token], total / penalty(steps)))
        finished.sort(key=lambda hypothesis: -hypothesis[1])
        going_on = [candidate for candidate in candidates if candidate[2] != eos][:k]
        beam = [([*beam[row][0], token], total) for total, row, token in going_on]
        state = reorder(
            state, torch.tensor([min(i, len(log_probs) - 1) for i in range(len(going_on))], dtype=torch.long)
        )
    return finished[:k], steps


# %% wrong: takes a place
# What finishes takes a place of the beam.
# Message: A finished hypothesis takes no place: k stay open


def beam_search(step, state, bos, eos, k, max_length, alpha):
    def penalty(length):
        return ((5 + length) / 6) ** alpha

    beam, finished, steps = [([], 0.0)], [], 0
    while beam and steps < max_length:
        if len(finished) >= k and beam[0][1] / penalty(max_length) <= finished[k - 1][1]:
            break
        tokens = torch.tensor([path[-1] if path else bos for path, _ in beam])
        log_probs, state = step(tokens, state)
        steps += 1
        candidates = [
            (total + log_p, row, token)
            for row, (_, total) in enumerate(beam)
            for token, log_p in enumerate(log_probs[row].tolist())
            if log_p > -math.inf
        ]
        candidates.sort(key=lambda candidate: -candidate[0])
        for total, row, token in candidates[:k]:
            if token == eos:
                finished.append(([*beam[row][0], token], total / penalty(steps)))
        finished.sort(key=lambda hypothesis: -hypothesis[1])
        going_on = [candidate for candidate in candidates[:k] if candidate[2] != eos]
        beam = [([*beam[row][0], token], total) for total, row, token in going_on]
        state = reorder(state, torch.tensor([row for _, row, _ in going_on], dtype=torch.long))
    return finished[:k], steps


# %% wrong: worst first
# The worst hypothesis comes first.
# Message: The best hypothesis comes first: a score is negative, near 0 is good


def beam_search(step, state, bos, eos, k, max_length, alpha):
    def penalty(length):
        return ((5 + length) / 6) ** alpha

    beam, finished, steps = [([], 0.0)], [], 0
    while beam and steps < max_length:
        if len(finished) >= k and beam[0][1] / penalty(max_length) <= finished[k - 1][1]:
            break
        tokens = torch.tensor([path[-1] if path else bos for path, _ in beam])
        log_probs, state = step(tokens, state)
        steps += 1
        candidates = [
            (total + log_p, row, token)
            for row, (_, total) in enumerate(beam)
            for token, log_p in enumerate(log_probs[row].tolist())
            if log_p > -math.inf
        ]
        candidates.sort(key=lambda candidate: -candidate[0])
        for total, row, token in candidates[:k]:
            if token == eos:
                finished.append(([*beam[row][0], token], total / penalty(steps)))
        finished.sort(key=lambda hypothesis: -hypothesis[1])
        going_on = [candidate for candidate in candidates if candidate[2] != eos][:k]
        beam = [([*beam[row][0], token], total) for total, row, token in going_on]
        state = reorder(state, torch.tensor([row for _, row, _ in going_on], dtype=torch.long))
    return finished[:k][::-1], steps


# %% wrong: strictly less
# The search goes on where the best open hypothesis can only draw level.
# Message: The search stops where the two sides are equal, too


def beam_search(step, state, bos, eos, k, max_length, alpha):
    def penalty(length):
        return ((5 + length) / 6) ** alpha

    beam, finished, steps = [([], 0.0)], [], 0
    while beam and steps < max_length:
        if len(finished) >= k and beam[0][1] / penalty(max_length) < finished[k - 1][1]:
            break
        tokens = torch.tensor([path[-1] if path else bos for path, _ in beam])
        log_probs, state = step(tokens, state)
        steps += 1
        candidates = [
            (total + log_p, row, token)
            for row, (_, total) in enumerate(beam)
            for token, log_p in enumerate(log_probs[row].tolist())
            if log_p > -math.inf
        ]
        candidates.sort(key=lambda candidate: -candidate[0])
        for total, row, token in candidates[:k]:
            if token == eos:
                finished.append(([*beam[row][0], token], total / penalty(steps)))
        finished.sort(key=lambda hypothesis: -hypothesis[1])
        going_on = [candidate for candidate in candidates if candidate[2] != eos][:k]
        beam = [([*beam[row][0], token], total) for total, row, token in going_on]
        state = reorder(state, torch.tensor([row for _, row, _ in going_on], dtype=torch.long))
    return finished[:k], steps
