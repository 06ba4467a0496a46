"""Scores, masks and the attention built from them."""

from course_lib.attention.masks import keep_lengths, masked_softmax
from course_lib.attention.scores import (
    AdditiveAttention,
    Attention,
    ConcatAttention,
    CosineAttention,
    DotAttention,
    GeneralAttention,
    LocationAttention,
)

__all__ = [
    "AdditiveAttention",
    "Attention",
    "ConcatAttention",
    "CosineAttention",
    "DotAttention",
    "GeneralAttention",
    "LocationAttention",
    "keep_lengths",
    "masked_softmax",
]
