"""All centres reach as far as the farthest.

Message: Each centre has a reach of its own; yours all have the largest
"""


def skip_gram_pairs(words, reaches, keep):
    left = [i for i, stays in enumerate(keep) if stays]
    pairs = []
    for place, i in enumerate(left):
        reach = max(r for r, stays in zip(reaches, keep, strict=True) if stays)
        first, last = max(0, place - reach), place + reach
        for j in left[first : last + 1]:
            if j != i:
                pairs.append((words[i], words[j]))
    return pairs
