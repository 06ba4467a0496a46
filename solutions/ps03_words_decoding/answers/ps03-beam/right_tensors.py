"""Written with one topk over the flattened candidates."""


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
