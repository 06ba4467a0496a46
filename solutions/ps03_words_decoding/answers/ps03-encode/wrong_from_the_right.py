"""A pair is joined from the right.

Message: Join from the left: a a a becomes aa a, not a aa
"""


def encode(word, merges, alphabet):
    symbols = []
    for character in word:
        known = character in alphabet
        symbols += [character] if known else [f"<0x{byte:02X}>" for byte in character.encode("utf8")]
    rank = {pair: i for i, pair in enumerate(merges)}
    while True:
        pairs = [pair for pair in pairwise(symbols) if pair in rank]
        if not pairs:
            return symbols
        best = min(pairs, key=lambda pair: rank[pair])
        i = len(symbols) - 2
        while i >= 0:
            if tuple(symbols[i : i + 2]) == best:
                symbols[i : i + 2] = [best[0] + best[1]]
                i -= 1
            i -= 1
