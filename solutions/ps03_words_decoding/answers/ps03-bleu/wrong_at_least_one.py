"""A sentence without n-grams counts as one with one.

Message: A sentence too short for an n-gram adds nothing below the fraction line; max(1, …) adds one
"""


def bleu(hypotheses, references):
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
            totals[n - 1] += max(1, said.total())
    precisions = [match / total if total else 0.0 for match, total in zip(matches, totals, strict=True)]
    brevity = min(1.0, math.exp(1 - r / c)) if c else 0.0
    return 100 * brevity * math.prod(precisions) ** (1 / 4), precisions, brevity
