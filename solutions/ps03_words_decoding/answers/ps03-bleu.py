# %% right: crossing out
# Written by crossing out what has matched.


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


# %% right: loops
# Written with lists and counts of each n-gram.


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


# %% wrong: across sentences
# The corpus is joined to one text.
# Message: An n-gram does not reach from one sentence into the next


def bleu(hypotheses, references):
    if len(hypotheses) > 1:
        joined = [word for words in hypotheses for word in words]
        most = max(map(len, references))
        known = [[w for ks in references for w in ks[min(i, len(ks) - 1)]] for i in range(most)]
        return bleu([joined], [known])

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


# %% wrong: arithmetic mean
# The arithmetic mean of the precisions is taken.
# Message: The four precisions are multiplied: BLEU takes their geometric mean


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
            totals[n - 1] += said.total()
    precisions = [match / total if total else 0.0 for match, total in zip(matches, totals, strict=True)]
    brevity = min(1.0, math.exp(1 - r / c)) if c else 0.0
    return 100 * brevity * sum(precisions) / 4, precisions, brevity


# %% wrong: at least one
# A sentence without n-grams counts as one with one.
# Message: A sentence too short for an n-gram adds nothing below the fraction line; max(1, …) adds one


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


# %% wrong: brevity averaged
# The brevity penalty is averaged over the sentences.
# Message: The brevity penalty is one number for the corpus, from the sums c and r; yours averages over


def bleu(hypotheses, references):
    def ngrams(words, n):
        return Counter(tuple(words[i : i + n]) for i in range(len(words) - n + 1))

    matches, totals = [0] * 4, [0] * 4
    c = r = 0
    single = []
    for words, known in zip(hypotheses, references, strict=True):
        c += len(words)
        closest = min((len(k) for k in known), key=lambda n: (abs(n - len(words)), n))
        single.append(min(1.0, math.exp(1 - closest / len(words))) if words else 0.0)
        r += min((len(reference) for reference in known), key=lambda n: (abs(n - len(words)), n))
        for n in range(1, 5):
            said, allowed = ngrams(words, n), Counter()
            for reference in known:
                allowed |= ngrams(reference, n)
            matches[n - 1] += (said & allowed).total()
            totals[n - 1] += said.total()
    precisions = [match / total if total else 0.0 for match, total in zip(matches, totals, strict=True)]
    brevity = sum(single) / len(single)
    return 100 * brevity * math.prod(precisions) ** (1 / 4), precisions, brevity


# %% wrong: brevity ratio
# The brevity penalty is the ratio c / r.
# Message: The penalty is e^(1 − r/c), not the ratio c/r


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
            totals[n - 1] += said.total()
    precisions = [match / total if total else 0.0 for match, total in zip(matches, totals, strict=True)]
    brevity = min(1.0, c / r) if c else 0.0
    return 100 * brevity * math.prod(precisions) ** (1 / 4), precisions, brevity


# %% wrong: brevity swapped
# c and r are swapped in the penalty.
# Message: is the exponent 1 − r/c


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
            totals[n - 1] += said.total()
    precisions = [match / total if total else 0.0 for match, total in zip(matches, totals, strict=True)]
    brevity = min(1.0, math.exp(1 - c / r)) if c else 0.0
    return 100 * brevity * math.prod(precisions) ** (1 / 4), precisions, brevity


# %% wrong: brevity turned
# Long translations are punished, too.
# Message: Only short translations are punished: BP = 1 if c ≥ r


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
            totals[n - 1] += said.total()
    precisions = [match / total if total else 0.0 for match, total in zip(matches, totals, strict=True)]
    brevity = math.exp(-abs(1 - r / c)) if c else 0.0
    return 100 * brevity * math.prod(precisions) ** (1 / 4), precisions, brevity


# %% wrong: common to all
# An n-gram must stand in every reference.
# Message: An n-gram needs to stand in one reference, not in all


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
            allowed = ngrams(known[0], n)
            for reference in known[1:]:
                allowed &= ngrams(reference, n)
            matches[n - 1] += (said & allowed).total()
            totals[n - 1] += said.total()
    precisions = [match / total if total else 0.0 for match, total in zip(matches, totals, strict=True)]
    brevity = min(1.0, math.exp(1 - r / c)) if c else 0.0
    return 100 * brevity * math.prod(precisions) ** (1 / 4), precisions, brevity


# %% wrong: course
# The library's BLEU is asked, which sacrebleu computes.
# Message: your answer calls course_lib.


from course_lib.metrics.text import corpus_bleu


def bleu(hypotheses, references):
    found = corpus_bleu(
        [" ".join(words) for words in hypotheses],
        [[" ".join(words) for words in known] for known in references],
        tokenize="none",
    )
    precisions = [
        match / total if total else 0.0 for match, total in zip(found.matches, found.totals, strict=True)
    ]
    return found.score, precisions, found.brevity_penalty


# %% wrong: each once
# Each n-gram of a sentence counts once.
# Message: An n-gram that comes twice counts twice; a set forgets that


def bleu(hypotheses, references):
    def ngrams(words, n):
        return Counter({tuple(words[i : i + n]) for i in range(len(words) - n + 1)})

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


# %% wrong: empty hypothesis
# An empty translation divides by 0.
# Message: Without any word there is nothing to divide by


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
            totals[n - 1] += said.total()
    precisions = [match / total if total else 0.0 for match, total in zip(matches, totals, strict=True)]
    brevity = min(1.0, math.exp(1 - r / c))
    return 100 * brevity * math.prod(precisions) ** (1 / 4), precisions, brevity


# %% wrong: first length
# r takes the first reference.
# Message: r takes the reference closest in length, not the first


def bleu(hypotheses, references):
    def ngrams(words, n):
        return Counter(tuple(words[i : i + n]) for i in range(len(words) - n + 1))

    matches, totals = [0] * 4, [0] * 4
    c = r = 0
    for words, known in zip(hypotheses, references, strict=True):
        c += len(words)
        r += len(known[0])
        for n in range(1, 5):
            said, allowed = ngrams(words, n), Counter()
            for reference in known:
                allowed |= ngrams(reference, n)
            matches[n - 1] += (said & allowed).total()
            totals[n - 1] += said.total()
    precisions = [match / total if total else 0.0 for match, total in zip(matches, totals, strict=True)]
    brevity = min(1.0, math.exp(1 - r / c)) if c else 0.0
    return 100 * brevity * math.prod(precisions) ** (1 / 4), precisions, brevity


# %% wrong: first reference
# Only the first reference is looked at for matches.
# Message: All references count, not only the first


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
            for reference in known[:1]:
                allowed |= ngrams(reference, n)
            matches[n - 1] += (said & allowed).total()
            totals[n - 1] += said.total()
    precisions = [match / total if total else 0.0 for match, total in zip(matches, totals, strict=True)]
    brevity = min(1.0, math.exp(1 - r / c)) if c else 0.0
    return 100 * brevity * math.prod(precisions) ** (1 / 4), precisions, brevity


# %% wrong: library
# The score is sacrebleu's.
# Message: your answer calls sacrebleu


def bleu(hypotheses, references):
    import sacrebleu

    most = max(map(len, references))
    streams = [[" ".join(ks[i]) if i < len(ks) else None for ks in references] for i in range(most)]
    metric = sacrebleu.BLEU(tokenize="none", smooth_method="none", force=True)
    found = metric.corpus_score([" ".join(h) for h in hypotheses], streams)
    return found.score, [p / 100 for p in found.precisions], found.bp


# %% wrong: logarithm of zero
# The logarithm of 0 is taken.
# Message: If any precision is 0, BLEU is 0


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
            totals[n - 1] += said.total()
    precisions = [match / total if total else 0.0 for match, total in zip(matches, totals, strict=True)]
    brevity = min(1.0, math.exp(1 - r / c)) if c else 0.0
    return 100 * brevity * math.exp(sum(math.log(p) for p in precisions) / 4), precisions, brevity


# %% wrong: longer of two
# Of two equally near lengths the longer is taken.
# Message: Of two reference lengths that are equally near the shorter counts


def bleu(hypotheses, references):
    def ngrams(words, n):
        return Counter(tuple(words[i : i + n]) for i in range(len(words) - n + 1))

    matches, totals = [0] * 4, [0] * 4
    c = r = 0
    for words, known in zip(hypotheses, references, strict=True):
        c += len(words)
        r += min((len(reference) for reference in known), key=lambda n: (abs(n - len(words)), -n))
        for n in range(1, 5):
            said, allowed = ngrams(words, n), Counter()
            for reference in known:
                allowed |= ngrams(reference, n)
            matches[n - 1] += (said & allowed).total()
            totals[n - 1] += said.total()
    precisions = [match / total if total else 0.0 for match, total in zip(matches, totals, strict=True)]
    brevity = min(1.0, math.exp(1 - r / c)) if c else 0.0
    return 100 * brevity * math.prod(precisions) ** (1 / 4), precisions, brevity


# %% wrong: longest reference
# r takes the longest reference.
# Message: r takes the reference closest in length, not the longest


def bleu(hypotheses, references):
    def ngrams(words, n):
        return Counter(tuple(words[i : i + n]) for i in range(len(words) - n + 1))

    matches, totals = [0] * 4, [0] * 4
    c = r = 0
    for words, known in zip(hypotheses, references, strict=True):
        c += len(words)
        r += max(len(reference) for reference in known)
        for n in range(1, 5):
            said, allowed = ngrams(words, n), Counter()
            for reference in known:
                allowed |= ngrams(reference, n)
            matches[n - 1] += (said & allowed).total()
            totals[n - 1] += said.total()
    precisions = [match / total if total else 0.0 for match, total in zip(matches, totals, strict=True)]
    brevity = min(1.0, math.exp(1 - r / c)) if c else 0.0
    return 100 * brevity * math.prod(precisions) ** (1 / 4), precisions, brevity


# %% wrong: mean reference
# r takes the mean length of the references.
# Message: r takes the reference closest in length, not their mean length


def bleu(hypotheses, references):
    def ngrams(words, n):
        return Counter(tuple(words[i : i + n]) for i in range(len(words) - n + 1))

    matches, totals = [0] * 4, [0] * 4
    c = r = 0
    for words, known in zip(hypotheses, references, strict=True):
        c += len(words)
        r += sum(len(reference) for reference in known) / len(known)
        for n in range(1, 5):
            said, allowed = ngrams(words, n), Counter()
            for reference in known:
                allowed |= ngrams(reference, n)
            matches[n - 1] += (said & allowed).total()
            totals[n - 1] += said.total()
    precisions = [match / total if total else 0.0 for match, total in zip(matches, totals, strict=True)]
    brevity = min(1.0, math.exp(1 - r / c)) if c else 0.0
    return 100 * brevity * math.prod(precisions) ** (1 / 4), precisions, brevity


# %% wrong: no brevity
# The brevity penalty is left out.
# Message: BLEU is multiplied by the brevity penalty


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
            totals[n - 1] += said.total()
    precisions = [match / total if total else 0.0 for match, total in zip(matches, totals, strict=True)]
    brevity = min(1.0, math.exp(1 - r / c)) if c else 0.0
    return 100 * math.prod(precisions) ** (1 / 4), precisions, brevity


# %% wrong: no root
# The fourth root is missing.
# Message: The fourth root of the product is missing


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
            totals[n - 1] += said.total()
    precisions = [match / total if total else 0.0 for match, total in zip(matches, totals, strict=True)]
    brevity = min(1.0, math.exp(1 - r / c)) if c else 0.0
    return 100 * brevity * math.prod(precisions), precisions, brevity


# %% wrong: not clipped
# An n-gram matches as often as the hypothesis has it.
# Message: Clip: an n-gram matches at most as often as it stands in a reference


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
            matches[n - 1] += sum(count for gram, count in said.items() if gram in allowed)
            totals[n - 1] += said.total()
    precisions = [match / total if total else 0.0 for match, total in zip(matches, totals, strict=True)]
    brevity = min(1.0, math.exp(1 - r / c)) if c else 0.0
    return 100 * brevity * math.prod(precisions) ** (1 / 4), precisions, brevity


# %% wrong: one too few
# The last n-gram is forgotten.
# Message: A sentence of m words has m − n + 1 n-grams; yours misses the last


def bleu(hypotheses, references):
    def ngrams(words, n):
        return Counter(tuple(words[i : i + n]) for i in range(len(words) - n))

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


# %% wrong: percent
# BLEU is between 0 and 1.
# Message: BLEU is given from 0 to 100


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
            totals[n - 1] += said.total()
    precisions = [match / total if total else 0.0 for match, total in zip(matches, totals, strict=True)]
    brevity = min(1.0, math.exp(1 - r / c)) if c else 0.0
    return brevity * math.prod(precisions) ** (1 / 4), precisions, brevity


# %% wrong: recall
# The matches are divided by the n-grams of the references.
# Message: Divide by the n-grams of the hypotheses: precision, not recall


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
            totals[n - 1] += allowed.total()
    precisions = [match / total if total else 0.0 for match, total in zip(matches, totals, strict=True)]
    brevity = min(1.0, math.exp(1 - r / c)) if c else 0.0
    return 100 * brevity * math.prod(precisions) ** (1 / 4), precisions, brevity


# %% wrong: references added
# The counts of all references are added.
# Message: Clip by the one reference that has the n-gram most often; yours adds up all references


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
                allowed += ngrams(reference, n)
            matches[n - 1] += (said & allowed).total()
            totals[n - 1] += said.total()
    precisions = [match / total if total else 0.0 for match, total in zip(matches, totals, strict=True)]
    brevity = min(1.0, math.exp(1 - r / c)) if c else 0.0
    return 100 * brevity * math.prod(precisions) ** (1 / 4), precisions, brevity


# %% wrong: sentence average
# The BLEU of each sentence is averaged.
# Message: BLEU adds up the counts of the whole corpus first; yours averages over sentences


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


# %% wrong: shortest reference
# r takes the shortest reference.
# Message: does r take the closest reference, not the shortest


def bleu(hypotheses, references):
    def ngrams(words, n):
        return Counter(tuple(words[i : i + n]) for i in range(len(words) - n + 1))

    matches, totals = [0] * 4, [0] * 4
    c = r = 0
    for words, known in zip(hypotheses, references, strict=True):
        c += len(words)
        r += min(len(reference) for reference in known)
        for n in range(1, 5):
            said, allowed = ngrams(words, n), Counter()
            for reference in known:
                allowed |= ngrams(reference, n)
            matches[n - 1] += (said & allowed).total()
            totals[n - 1] += said.total()
    precisions = [match / total if total else 0.0 for match, total in zip(matches, totals, strict=True)]
    brevity = min(1.0, math.exp(1 - r / c)) if c else 0.0
    return 100 * brevity * math.prod(precisions) ** (1 / 4), precisions, brevity


# %% wrong: smoothed
# 1 is added to matches and totals.
# Message: Nothing is smoothed here: p = matches / n-grams


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
            totals[n - 1] += said.total()
    precisions = [(match + 1) / (total + 1) for match, total in zip(matches, totals, strict=True)]
    brevity = min(1.0, math.exp(1 - r / c)) if c else 0.0
    return 100 * brevity * math.prod(precisions) ** (1 / 4), precisions, brevity


# %% wrong: zero skipped
# Precisions of 0 are left out of the mean.
# Message: If any precision is 0, BLEU is 0; yours leaves it out of the mean


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
            totals[n - 1] += said.total()
    precisions = [match / total if total else 0.0 for match, total in zip(matches, totals, strict=True)]
    brevity = min(1.0, math.exp(1 - r / c)) if c else 0.0
    some = [p for p in precisions if p] or [0.0]
    return 100 * brevity * math.prod(some) ** (1 / len(some)), precisions, brevity


# %% wrong: letters in a row
# The words of an n-gram are joined without a separator.
# Message: `a bc` is not `ab c`


def bleu(hypotheses, references):
    def ngrams(words, n):
        return Counter("".join(words[i : i + n]) for i in range(len(words) - n + 1))

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
