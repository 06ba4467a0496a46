"""The hexadecimal digits are small letters.

Message: The hexadecimal digits are capitals: <0xC3>, not <0xc3>
"""


def encode(word, merges, alphabet):
    symbols = []
    for character in word:
        known = character in alphabet
        symbols += [character] if known else [f"<0x{byte:02x}>" for byte in character.encode("utf8")]
    rank = {pair: i for i, pair in enumerate(merges)}
    while True:
        pairs = [pair for pair in pairwise(symbols) if pair in rank]
        if not pairs:
            return symbols
        best = min(pairs, key=lambda pair: rank[pair])
        joined, i = [], 0
        while i < len(symbols):
            if tuple(symbols[i : i + 2]) == best:
                joined.append(best[0] + best[1])
                i += 2
            else:
                joined.append(symbols[i])
                i += 1
        symbols = joined
