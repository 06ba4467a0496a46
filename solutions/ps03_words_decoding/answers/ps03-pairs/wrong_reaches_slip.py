"""The reaches are read by the places that are left.

Message: reaches[i] belongs to words[i] of the whole sentence; yours slip when words are dropped
"""


def skip_gram_pairs(words, reaches, keep):
    left = [i for i, stays in enumerate(keep) if stays]
    pairs = []
    for place, i in enumerate(left):
        first, last = max(0, place - reaches[place]), place + reaches[place]
        for j in left[first : last + 1]:
            if j != i:
                pairs.append((words[i], words[j]))
    return pairs
