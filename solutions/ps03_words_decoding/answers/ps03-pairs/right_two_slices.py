"""Written with one slice to the left and one to the right."""


def skip_gram_pairs(words, reaches, keep):
    reaches = [reach for reach, stays in zip(reaches, keep, strict=True) if stays]
    words = [word for word, stays in zip(words, keep, strict=True) if stays]
    pairs = []
    for i, reach in enumerate(reaches):
        around = words[:i][max(0, i - reach) :] + words[i + 1 :][:reach]
        pairs += [(words[i], near) for near in around]
    return pairs
