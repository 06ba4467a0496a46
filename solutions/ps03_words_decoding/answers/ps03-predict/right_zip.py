"""Written with two lists."""


def predict():
    return dict(zip("abcde", ["always", "sometimes", "sometimes", "never", "never"], strict=True))
