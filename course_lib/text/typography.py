"""Typed text in plain signs, whatever a keyboard, a word processor or a web page made of it."""

import unicodedata

PLAIN = str.maketrans(
    {
        **dict.fromkeys("‘’‚‛′ʼ´＇‹›", "'"),
        **dict.fromkeys("“”„‟″«»＂", '"'),
        **dict.fromkeys("‐‑‒–—−－", "-"),
        "…": "...",
    }
)


def plain(text: str) -> str:
    """Return a text with one sign for all its variants.

    Accents are joined to their letters (NFC); quotes, apostrophes and dashes are those of a typewriter; what
    has no width (a soft hyphen, a byte-order mark) is gone; each run of white space is one space, none at the
    ends. What is plain already stays as it is.
    """
    joined = unicodedata.normalize("NFC", text).translate(PLAIN)
    seen = "".join(sign for sign in joined if unicodedata.category(sign) != "Cf")
    return " ".join(seen.split())
