"""How a token string is shown, everywhere in the course."""

from __future__ import annotations

import unicodedata

_VISIBLE = {" ": "␣", "\n": "⏎", "\t": "⇥", "\r": "␍"}
# Joiners and variation selectors shape the characters around them; alone they are invisible.
_SHAPERS = "\u200c\u200d\ufe0e\ufe0f"


def token_label(text: str) -> str:
    """Show any token: nothing is lost, nothing is invisible, nothing is interpreted.

    Args:
        text: the token as the tokenizer knows it; any string.

    Returns:
        The text with spaces as ␣, newlines as ⏎, tabs as ⇥, other invisible characters by code point
        (⟨U+200B⟩), and the empty string as ∅. Escaping for HTML or TeX is the drawer's affair.

    Raises:
        TypeError: text is not a str.
    """
    if not isinstance(text, str):
        raise TypeError(f"text must be a str, got {type(text).__name__}")
    if not text:
        return "∅"
    if all(character in _SHAPERS for character in text):
        return "".join(map(_code_point, text))
    return "".join(map(_show, text))


def _show(character: str) -> str:
    if character in _VISIBLE:
        return _VISIBLE[character]
    if character not in _SHAPERS and unicodedata.category(character)[0] in "CZ":
        return _code_point(character)
    return character


def _code_point(character: str) -> str:
    return f"⟨U+{ord(character):04X}⟩"
