"""The window ends one word early on the right.

Message: The window is one short on the right: the end of a slice or a range is not part of it
"""


def skip_gram_pairs(words, reaches, keep):
    left = [i for i, stays in enumerate(keep) if stays]
    pairs = []
    for place, i in enumerate(left):
        first, last = max(0, place - reaches[i]), place + reaches[i]
        for j in left[first:last]:
            if j != i:
                pairs.append((words[i], words[j]))
    return pairs
