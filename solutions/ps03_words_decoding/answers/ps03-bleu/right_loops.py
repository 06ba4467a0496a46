"""Written with lists and counts of each n-gram."""


def bleu(hypotheses, references):
    precisions = []
    for n in (1, 2, 3, 4):
        match = total = 0
        for words, known in zip(hypotheses, references, strict=True):
            grams = [" ".join(words[i : i + n]) for i in range(len(words) + 1 - n)]
            lists = [[" ".join(ref[i : i + n]) for i in range(len(ref) + 1 - n)] for ref in known]
            for gram in set(grams):
                match += min(grams.count(gram), max(grams_of.count(gram) for grams_of in lists))
            total += len(grams)
        precisions.append(match / max(1, total))
    c = sum(map(len, hypotheses))
    r = sum(
        sorted((abs(len(k) - len(h)), len(k)) for k in ks)[0][1]
        for h, ks in zip(hypotheses, references, strict=True)
    )
    brevity = 0.0 if c == 0 else 1.0 if c >= r else float(np.exp(1 - r / c))
    score = 0.0 if min(precisions) == 0 else 100 * brevity * float(np.exp(np.mean(np.log(precisions))))
    return score, precisions, brevity
