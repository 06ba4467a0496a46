"""Each hypothesis is extended by its best token only.

Message: Every open hypothesis is extended by every token
"""


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
