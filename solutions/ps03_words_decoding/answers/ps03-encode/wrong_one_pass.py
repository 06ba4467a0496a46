"""The list is gone through once.

Message: look again from the top of the list
"""


def encode(word, merges, alphabet):
    symbols = []
    for character in word:
        known = character in alphabet
        symbols += [character] if known else [f"<0x{byte:02X}>" for byte in character.encode("utf8")]

    for pair in merges:
        joined, i = [], 0
        while i < len(symbols):
            size = 2 if tuple(symbols[i : i + 2]) == pair else 1
            joined.append("".join(symbols[i : i + size]))
            i += size
        symbols = joined
    return symbols
