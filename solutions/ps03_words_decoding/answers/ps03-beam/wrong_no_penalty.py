"""The length penalty has no influence.

Message: The length penalty has no influence on the score
"""


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
