"""A word that is dropped once is dropped everywhere.

Message: Places are dropped, not words: the same word may be dropped here and kept there
"""


def skip_gram_pairs(words, reaches, keep):
    gone = {word for word, stays in zip(words, keep, strict=True) if not stays}
    left = [i for i, word in enumerate(words) if word not in gone]
    pairs = []
    for place, i in enumerate(left):
        first, last = max(0, place - reaches[i]), place + reaches[i]
        for j in left[first : last + 1]:
            if j != i:
                pairs.append((words[i], words[j]))
    return pairs
