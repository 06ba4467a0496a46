"""A window that begins before the sentence counts from its end.

Message: A slice with a negative start counts from the end: let no window begin before place 0
"""


def skip_gram_pairs(words, reaches, keep):
    left = [i for i, stays in enumerate(keep) if stays]
    pairs = []
    for place, i in enumerate(left):
        first, last = place - reaches[i], place + reaches[i]
        for j in left[first : last + 1]:
            if j != i:
                pairs.append((words[i], words[j]))
    return pairs
