"""Scores, masks and the attention built from them."""

from course_lib.attention.masks import keep_lengths, masked_softmax
from course_lib.attention.scores import (
    AdditiveAttention,
    Attention,
    ConcatAttention,
    DotAttention,
    GeneralAttention,
)

__all__ = [
    "AdditiveAttention",
    "Attention",
    "ConcatAttention",
    "DotAttention",
    "GeneralAttention",
    "keep_lengths",
    "masked_softmax",
]
