# %% right: regex
# Written on strings, with borders that keep symbols apart.


def learn_merges(counts, merges, minimum):
    spelled = {"".join(f"\0{letter}\1" for letter in word): count for word, count in counts.items()}
    learned = []
    for _ in range(merges):
        pairs = Counter()
        for text, count in spelled.items():
            symbols = text[1:-1].split("\1\0")
            for pair in pairwise(symbols):
                pairs[pair] += count
        if not pairs:
            break
        best = sorted(pairs, key=lambda pair: (-pairs[pair], *pair))[0]
        if pairs[best] < minimum:
            break
        learned.append(best)
        apart, joined = f"\0{best[0]}\1\0{best[1]}\1", f"\0{best[0]}{best[1]}\1"
        spelled = {text.replace(apart, joined): count for text, count in spelled.items()}
    return learned


# %% right: sorted
# Written with tuples, sorting and new lists.


def learn_merges(counts, merges, minimum):
    words = {tuple(word): count for word, count in counts.items()}
    learned = []
    for _ in range(merges):
        pairs = Counter()
        for symbols, count in words.items():
            for k in range(len(symbols) - 1):
                pairs[symbols[k : k + 2]] += count
        ranked = sorted((-count, pair) for pair, count in pairs.items() if count >= minimum)
        if not ranked:
            return learned
        pair = ranked[0][1]
        learned.append(pair)
        joined = {}
        for symbols, count in words.items():
            new, rest = [], list(symbols)
            while rest:
                taken = 2 if tuple(rest[:2]) == pair else 1
                new.append("".join(rest[:taken]))
                rest = rest[taken:]
            joined[tuple(new)] = joined.get(tuple(new), 0) + count
        words = joined
    return learned


# %% wrong: across words
# Pairs cross the borders of words.
# Message: A pair never crosses the border of a word


def learn_merges(counts, merges, minimum):
    learned = []
    symbols = [s for word, count in counts.items() for _ in range(count) for s in word]
    while len(learned) < merges:
        pairs = Counter(pairwise(symbols))
        if not pairs or max(pairs.values()) < minimum:
            break
        best = min(pairs, key=lambda pair: (-pairs[pair], pair))
        learned.append(best)
        i = 0
        while i < len(symbols) - 1:
            if (symbols[i], symbols[i + 1]) == best:
                symbols[i : i + 2] = [best[0] + best[1]]
            i += 1
    return learned


# %% wrong: end mark
# Each word gets an end-of-word mark.
# Message: Here words have no mark at their end: start from their characters alone


def learn_merges(counts, merges, minimum):
    spelled = [([*word, "</w>"], count) for word, count in counts.items()]
    learned = []
    while len(learned) < merges:
        pairs = Counter()
        for symbols, count in spelled:
            for pair in pairwise(symbols):
                pairs[pair] += count
        if not pairs or max(pairs.values()) < minimum:
            break
        best = min(pairs, key=lambda pair: (-pairs[pair], pair))
        learned.append(best)
        for symbols, _ in spelled:
            i = 0
            while i < len(symbols) - 1:
                if (symbols[i], symbols[i + 1]) == best:
                    symbols[i : i + 2] = [best[0] + best[1]]
                i += 1
    return learned


# %% wrong: first only
# Only the first place of a word is joined.
# Message: Join the pair wherever it stands; yours stops at the first place in a word


def learn_merges(counts, merges, minimum):
    spelled = [(list(word), count) for word, count in counts.items()]
    learned = []
    while len(learned) < merges:
        pairs = Counter()
        for symbols, count in spelled:
            for pair in pairwise(symbols):
                pairs[pair] += count
        if not pairs or max(pairs.values()) < minimum:
            break
        best = min(pairs, key=lambda pair: (-pairs[pair], pair))
        learned.append(best)
        for symbols, _ in spelled:
            i = 0
            while i < len(symbols) - 1:
                if (symbols[i], symbols[i + 1]) == best:
                    symbols[i : i + 2] = [best[0] + best[1]]
                    break
                i += 1
    return learned


# %% wrong: first seen
# Of equally frequent pairs the one that was counted first is taken.
# Message: Of equally frequent pairs take the first in Python's order, not the one that was seen first


def learn_merges(counts, merges, minimum):
    spelled = [(list(word), count) for word, count in counts.items()]
    learned = []
    while len(learned) < merges:
        pairs = Counter()
        for symbols, count in spelled:
            for pair in pairwise(symbols):
                pairs[pair] += count
        if not pairs or max(pairs.values()) < minimum:
            break
        best = pairs.most_common(1)[0][0]
        learned.append(best)
        for symbols, _ in spelled:
            i = 0
            while i < len(symbols) - 1:
                if (symbols[i], symbols[i + 1]) == best:
                    symbols[i : i + 2] = [best[0] + best[1]]
                i += 1
    return learned


# %% wrong: from the right
# The pair is joined from the right.
# Message: Join from the left: a a a becomes aa a, not a aa


def learn_merges(counts, merges, minimum):
    spelled = [(list(word), count) for word, count in counts.items()]
    learned = []
    while len(learned) < merges:
        pairs = Counter()
        for symbols, count in spelled:
            for pair in pairwise(symbols):
                pairs[pair] += count
        if not pairs or max(pairs.values()) < minimum:
            break
        best = min(pairs, key=lambda pair: (-pairs[pair], pair))
        learned.append(best)
        for symbols, _ in spelled:
            i = len(symbols) - 2
            while i >= 0:
                if (symbols[i], symbols[i + 1]) == best:
                    symbols[i : i + 2] = [best[0] + best[1]]
                i -= 1
    return learned


# %% wrong: joined text
# The joined symbols are returned, not the pairs.
# Message: tuple (left, right)


def learn_merges(counts, merges, minimum):
    spelled = [(list(word), count) for word, count in counts.items()]
    learned = []
    while len(learned) < merges:
        pairs = Counter()
        for symbols, count in spelled:
            for pair in pairwise(symbols):
                pairs[pair] += count
        if not pairs or max(pairs.values()) < minimum:
            break
        best = min(pairs, key=lambda pair: (-pairs[pair], pair))
        learned.append(best[0] + best[1])
        for symbols, _ in spelled:
            i = 0
            while i < len(symbols) - 1:
                if (symbols[i], symbols[i + 1]) == best:
                    symbols[i : i + 2] = [best[0] + best[1]]
                i += 1
    return learned


# %% wrong: last of equals
# Of equally frequent pairs the last in order is taken.
# Message: Of equally frequent pairs take the first in Python's order: not the last, as the max of


def learn_merges(counts, merges, minimum):
    spelled = [(list(word), count) for word, count in counts.items()]
    learned = []
    while len(learned) < merges:
        pairs = Counter()
        for symbols, count in spelled:
            for pair in pairwise(symbols):
                pairs[pair] += count
        if not pairs or max(pairs.values()) < minimum:
            break
        best = max(pairs, key=lambda pair: (pairs[pair], pair))
        learned.append(best)
        for symbols, _ in spelled:
            i = 0
            while i < len(symbols) - 1:
                if (symbols[i], symbols[i + 1]) == best:
                    symbols[i : i + 2] = [best[0] + best[1]]
                i += 1
    return learned


# %% wrong: library
# The library learns the merges, which settles ties by age.
# Message: your answer calls course_lib.text.


def learn_merges(counts, merges, minimum):
    from course_lib.text import bpe

    return bpe.learn_merges(counts, merges)


# %% wrong: more than minimum
# The minimum itself is not enough.
# Message: A pair that comes exactly `minimum` times is joined, too


def learn_merges(counts, merges, minimum):
    spelled = [(list(word), count) for word, count in counts.items()]
    learned = []
    while len(learned) < merges:
        pairs = Counter()
        for symbols, count in spelled:
            for pair in pairwise(symbols):
                pairs[pair] += count
        if not pairs or max(pairs.values()) <= minimum:
            break
        best = min(pairs, key=lambda pair: (-pairs[pair], pair))
        learned.append(best)
        for symbols, _ in spelled:
            i = 0
            while i < len(symbols) - 1:
                if (symbols[i], symbols[i + 1]) == best:
                    symbols[i : i + 2] = [best[0] + best[1]]
                i += 1
    return learned


# %% wrong: no minimum
# The minimum has no influence.
# Message: The minimum has no influence: stop as soon as the best pair is rarer


def learn_merges(counts, merges, minimum):
    spelled = [(list(word), count) for word, count in counts.items()]
    learned = []
    while len(learned) < merges:
        pairs = Counter()
        for symbols, count in spelled:
            for pair in pairwise(symbols):
                pairs[pair] += count
        if not pairs:
            break
        best = min(pairs, key=lambda pair: (-pairs[pair], pair))
        learned.append(best)
        for symbols, _ in spelled:
            i = 0
            while i < len(symbols) - 1:
                if (symbols[i], symbols[i + 1]) == best:
                    symbols[i : i + 2] = [best[0] + best[1]]
                i += 1
    return learned


# %% wrong: no pairs left
# Nothing is done about words without pairs.
# Message: When every word is one symbol there is no pair left


def learn_merges(counts, merges, minimum):
    spelled = [(list(word), count) for word, count in counts.items()]
    learned = []
    while len(learned) < merges:
        pairs = Counter()
        for symbols, count in spelled:
            for pair in pairwise(symbols):
                pairs[pair] += count
        if max(pairs.values()) < minimum:
            break
        best = min(pairs, key=lambda pair: (-pairs[pair], pair))
        learned.append(best)
        for symbols, _ in spelled:
            i = 0
            while i < len(symbols) - 1:
                if (symbols[i], symbols[i + 1]) == best:
                    symbols[i : i + 2] = [best[0] + best[1]]
                i += 1
    return learned


# %% wrong: no recount
# The pairs are counted once, and the most frequent ones returned.
# Message: Count anew after every join: joined symbols make new pairs, and old ones vanish


def learn_merges(counts, merges, minimum):
    pairs = Counter()
    for word, count in counts.items():
        for pair in pairwise(word):
            pairs[pair] += count
    return [pair for pair in sorted(pairs, key=lambda p: (-pairs[p], p)) if pairs[pair] >= minimum][:merges]


# %% wrong: once a word
# A pair counts once in a word.
# Message: A pair that stands twice in a word counts twice for it


def learn_merges(counts, merges, minimum):
    spelled = [(list(word), count) for word, count in counts.items()]
    learned = []
    while len(learned) < merges:
        pairs = Counter()
        for symbols, count in spelled:
            for pair in {*pairwise(symbols)}:
                pairs[pair] += count
        if not pairs or max(pairs.values()) < minimum:
            break
        best = min(pairs, key=lambda pair: (-pairs[pair], pair))
        learned.append(best)
        for symbols, _ in spelled:
            i = 0
            while i < len(symbols) - 1:
                if (symbols[i], symbols[i + 1]) == best:
                    symbols[i : i + 2] = [best[0] + best[1]]
                i += 1
    return learned


# %% wrong: one round more
# One round too many is made.
# Message: That is one round too many: `merges` pairs at most


def learn_merges(counts, merges, minimum):
    spelled = [(list(word), count) for word, count in counts.items()]
    learned = []
    while len(learned) <= merges:
        pairs = Counter()
        for symbols, count in spelled:
            for pair in pairwise(symbols):
                pairs[pair] += count
        if not pairs or max(pairs.values()) < minimum:
            break
        best = min(pairs, key=lambda pair: (-pairs[pair], pair))
        learned.append(best)
        for symbols, _ in spelled:
            i = 0
            while i < len(symbols) - 1:
                if (symbols[i], symbols[i + 1]) == best:
                    symbols[i : i + 2] = [best[0] + best[1]]
                i += 1
    return learned


# %% wrong: overlaps once
# Overlapping pairs are counted once.
# Message: Overlapping pairs count, too: aaa holds (a, a) two times


def learn_merges(counts, merges, minimum):
    spelled = [(list(word), count) for word, count in counts.items()]
    learned = []
    while len(learned) < merges:
        pairs = Counter()
        for symbols, count in spelled:
            i = 0
            while i < len(symbols) - 1:
                pairs[symbols[i], symbols[i + 1]] += count
                i += 1 + (symbols[i : i + 2] == symbols[i + 1 : i + 3])
        if not pairs or max(pairs.values()) < minimum:
            break
        best = min(pairs, key=lambda pair: (-pairs[pair], pair))
        learned.append(best)
        for symbols, _ in spelled:
            i = 0
            while i < len(symbols) - 1:
                if (symbols[i], symbols[i + 1]) == best:
                    symbols[i : i + 2] = [best[0] + best[1]]
                i += 1
    return learned


# %% wrong: pairs of letters
# Only characters are joined.
# Message: A joined symbol is a symbol like any other and can be joined again


def learn_merges(counts, merges, minimum):
    spelled = [(list(word), count) for word, count in counts.items()]
    learned = []
    while len(learned) < merges:
        pairs = Counter()
        for symbols, count in spelled:
            for pair in (p for p in pairwise(symbols) if len(p[0] + p[1]) == 2):
                pairs[pair] += count
        if not pairs or max(pairs.values()) < minimum:
            break
        best = min(pairs, key=lambda pair: (-pairs[pair], pair))
        learned.append(best)
        for symbols, _ in spelled:
            i = 0
            while i < len(symbols) - 1:
                if (symbols[i], symbols[i + 1]) == best:
                    symbols[i : i + 2] = [best[0] + best[1]]
                i += 1
    return learned


# %% wrong: text replaced
# The pair is replaced in the spelled-out text.
# Message: Join symbols, not text: a replacement in the spelled-out word also finds the ends of longer


def learn_merges(counts, merges, minimum):
    spelled = {" ".join(word): count for word, count in counts.items()}
    learned = []
    for _ in range(merges):
        pairs = Counter()
        for text, count in spelled.items():
            for pair in pairwise(text.split()):
                pairs[pair] += count
        if not pairs or max(pairs.values()) < minimum:
            break
        best = min(pairs, key=lambda pair: (-pairs[pair], pair))
        learned.append(best)
        spelled = {text.replace(" ".join(best), "".join(best)): count for text, count in spelled.items()}
    return learned


# %% wrong: tokenizers
# The trainer of another library is asked.
# Message: your answer calls tokenizers.


def learn_merges(counts, merges, minimum):
    import json

    from tokenizers import Tokenizer, models, trainers

    tokenizer = Tokenizer(models.BPE())
    size = len({character for word in counts for character in word}) + merges
    trainer = trainers.BpeTrainer(vocab_size=size, min_frequency=minimum, show_progress=False)
    tokenizer.train_from_iterator((word for word, count in counts.items() for _ in range(count)), trainer)
    return [tuple(pair) for pair in json.loads(tokenizer.to_str())["model"]["merges"]]


# %% wrong: types
# Each word counts once, however often it comes.
# Message: A pair counts as often as its word comes; yours counts each word once


def learn_merges(counts, merges, minimum):
    spelled = [(list(word), count) for word, count in counts.items()]
    learned = []
    while len(learned) < merges:
        pairs = Counter()
        for symbols, _ in spelled:
            for pair in pairwise(symbols):
                pairs[pair] += 1
        if not pairs or max(pairs.values()) < minimum:
            break
        best = min(pairs, key=lambda pair: (-pairs[pair], pair))
        learned.append(best)
        for symbols, _ in spelled:
            i = 0
            while i < len(symbols) - 1:
                if (symbols[i], symbols[i + 1]) == best:
                    symbols[i : i + 2] = [best[0] + best[1]]
                i += 1
    return learned
