"""Text to numbers and back."""

from course_lib.text.bpe import BytePairEncoding

__all__ = ["BytePairEncoding"]
