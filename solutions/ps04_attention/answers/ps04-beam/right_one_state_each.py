"""Written with one state a hypothesis: every hypothesis takes its step alone."""


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
