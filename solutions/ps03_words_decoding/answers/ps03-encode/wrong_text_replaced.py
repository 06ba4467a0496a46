"""The pairs are replaced in the spelled-out text.

Message: Join symbols, not text: a replacement in the spelled-out word also finds the ends of longer
"""


def encode(word, merges, alphabet):
    symbols = []
    for character in word:
        known = character in alphabet
        symbols += [character] if known else [f"<0x{byte:02X}>" for byte in character.encode("utf8")]

    text = " ".join(symbols)
    for left, right in merges:
        text = text.replace(f"{left} {right}", left + right)
    return text.split()
