"""Only the words behind the centre are neighbours.

Message: A window reaches to both sides; yours only to the right
"""


def skip_gram_pairs(words, reaches, keep):
    left = [i for i, stays in enumerate(keep) if stays]
    pairs = []
    for place, i in enumerate(left):
        first, last = place, place + reaches[i]
        for j in left[first : last + 1]:
            if j != i:
                pairs.append((words[i], words[j]))
    return pairs
