"""The length counts eos twice.

Message: |y| counts eos once
"""


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
