"""Scores, masks and the attention built from them."""

from course_lib.attention.gates import (
    attend_to_past,
    free_weights,
    gated_recurrence,
    several_heads,
    unrolled_weights,
)
from course_lib.attention.hard import (
    Glimpse,
    HardAttention,
    cost_to_go,
    expected_loss,
    score_function_surrogate,
    sequence_surrogate,
)
from course_lib.attention.local import LocalMonotonicAttention, LocalPredictiveAttention
from course_lib.attention.masks import has_numbers, keep_lengths, masked_softmax, weighted_mean, weighted_sum
from course_lib.attention.multihead import (
    KeysAndValues,
    MultiHeadAttention,
    causal_mask,
    scaled_dot_product_attention,
)
from course_lib.attention.position import PositionalEncoding, sinusoidal_positions
from course_lib.attention.scores import (
    AdditiveAttention,
    Attention,
    ConcatAttention,
    CosineAttention,
    DotAttention,
    GeneralAttention,
    LocationAttention,
    LocationAwareAttention,
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
    "KeysAndValues",
    "LocalMonotonicAttention",
    "LocalPredictiveAttention",
    "LocationAttention",
    "LocationAwareAttention",
    "MultiHeadAttention",
    "PositionalEncoding",
    "attend_to_past",
    "causal_mask",
    "cost_to_go",
    "diagonal_share",
    "expected_loss",
    "free_weights",
    "gated_recurrence",
    "has_numbers",
    "keep_lengths",
    "masked_softmax",
    "scaled_dot_product_attention",
    "score_function_surrogate",
    "sequence_surrogate",
    "several_heads",
    "sinusoidal_positions",
    "unrolled_weights",
    "vanilla_self_attention",
    "weighted_mean",
    "weighted_sum",
]
