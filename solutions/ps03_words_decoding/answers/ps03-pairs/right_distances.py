"""Written by comparing every two places that are left."""


def skip_gram_pairs(words, reaches, keep):
    left = [(word, reach) for word, reach, stays in zip(words, reaches, keep, strict=True) if stays]
    return [
        (centre, near)
        for i, (centre, reach) in enumerate(left)
        for j, (near, _) in enumerate(left)
        if 0 < abs(i - j) <= reach
    ]
