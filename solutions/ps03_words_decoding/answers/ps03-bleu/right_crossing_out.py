"""Written by crossing out what has matched."""


def bleu(hypotheses, references):
    totals = torch.zeros(2, 4, dtype=torch.float64)
    lengths = [0, 0]
    for words, known in zip(hypotheses, references, strict=True):
        closest = sorted(map(len, known))
        closest = closest[int(np.argmin([abs(size - len(words)) for size in closest]))]
        lengths = [lengths[0] + len(words), lengths[1] + closest]
        for n in range(4):
            left = Counter()
            for ref in known:
                own = Counter(zip(*(ref[i:] for i in range(n + 1)), strict=False))
                for gram, count in own.items():
                    left[gram] = max(left[gram], count)
            for gram in zip(*(words[i:] for i in range(n + 1)), strict=False):
                totals[1, n] += 1
                if left[gram] > 0:
                    left[gram] -= 1
                    totals[0, n] += 1
    p = totals[0] / totals[1].clamp(min=1)
    c, r = lengths
    brevity = math.exp(min(0.0, 1 - r / c)) if c > 0 else 0.0
    return 100 * brevity * float(p.prod()) ** 0.25, p.tolist(), brevity
