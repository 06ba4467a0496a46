"""A finished hypothesis stays in the beam and is extended.

Message: A finished hypothesis is put aside, never extended
"""


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
