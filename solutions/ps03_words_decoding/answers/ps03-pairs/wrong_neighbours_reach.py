"""A pair is made if the neighbour reaches the centre.

Message: The reach of the centre counts, not the neighbour's
"""


def skip_gram_pairs(words, reaches, keep):
    left = [i for i, stays in enumerate(keep) if stays]
    return [
        (words[i], words[j])
        for a, i in enumerate(left)
        for b, j in enumerate(left)
        if 0 < abs(a - b) <= reaches[j]
    ]
