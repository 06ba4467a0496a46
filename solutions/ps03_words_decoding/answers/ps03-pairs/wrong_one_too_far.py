"""The window is one word too wide on either side.

Message: The window is one too wide: a reach of 1 means the next word, not the one behind it
"""


def skip_gram_pairs(words, reaches, keep):
    left = [i for i, stays in enumerate(keep) if stays]
    pairs = []
    for place, i in enumerate(left):
        first, last = max(0, place - reaches[i] - 1), place + reaches[i]
        for j in left[first : last + 2]:
            if j != i:
                pairs.append((words[i], words[j]))
    return pairs
