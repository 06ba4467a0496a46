"""Candidates of a step have the same length, so they are ordered by their penalised score."""


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
