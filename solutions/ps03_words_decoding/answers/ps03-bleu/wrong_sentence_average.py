"""The BLEU of each sentence is averaged.

Message: BLEU adds up the counts of the whole corpus first; yours averages over sentences
"""


def bleu(hypotheses, references):
    if len(hypotheses) > 1:
        parts = [bleu([h], [k]) for h, k in zip(hypotheses, references, strict=True)]
        average = [sum(p) / len(parts) for p in zip(*(q for _, q, _ in parts), strict=True)]
        score = sum(s for s, _, _ in parts) / len(parts)
        return score, average, sum(b for *_, b in parts) / len(parts)

    def ngrams(words, n):
        return Counter(tuple(words[i : i + n]) for i in range(len(words) - n + 1))

    matches, totals = [0] * 4, [0] * 4
    c = r = 0
    for words, known in zip(hypotheses, references, strict=True):
        c += len(words)
        r += min((len(reference) for reference in known), key=lambda n: (abs(n - len(words)), n))
        for n in range(1, 5):
            said, allowed = ngrams(words, n), Counter()
            for reference in known:
                allowed |= ngrams(reference, n)
            matches[n - 1] += (said & allowed).total()
            totals[n - 1] += said.total()
    precisions = [match / total if total else 0.0 for match, total in zip(matches, totals, strict=True)]
    brevity = min(1.0, math.exp(1 - r / c)) if c else 0.0
    return 100 * brevity * math.prod(precisions) ** (1 / 4), precisions, brevity
