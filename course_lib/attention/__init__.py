"""Scores, masks and the attention built from them."""

from course_lib.attention.gates import (
    attend_to_past,
    free_weights,
    gated_recurrence,
    several_heads,
    unrolled_weights,
)
from course_lib.attention.hard import Glimpse, HardAttention, expected_loss, score_function_surrogate
from course_lib.attention.local import LocalMonotonicAttention, LocalPredictiveAttention
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
from course_lib.attention.self_attention import diagonal_share, vanilla_self_attention

__all__ = [
    "AdditiveAttention",
    "Attention",
    "ConcatAttention",
    "CosineAttention",
    "DotAttention",
    "GeneralAttention",
    "Glimpse",
    "HardAttention",
    "LocalMonotonicAttention",
    "LocalPredictiveAttention",
    "LocationAttention",
    "attend_to_past",
    "diagonal_share",
    "expected_loss",
    "free_weights",
    "gated_recurrence",
    "keep_lengths",
    "masked_softmax",
    "score_function_surrogate",
    "several_heads",
    "unrolled_weights",
    "vanilla_self_attention",
]
