"""The first pair in the word is joined, whatever its rank.

Message: The rank decides, not the place: take the pair that is earliest in the list of merges
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
        best = pairs[0]
        joined, i = [], 0
        while i < len(symbols):
            if tuple(symbols[i : i + 2]) == best:
                joined.append(best[0] + best[1])
                i += 2
            else:
                joined.append(symbols[i])
                i += 1
        symbols = joined
