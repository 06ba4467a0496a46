"""Figures: pure functions from a trace to a picture, and how tokens and colours look everywhere."""

from typing import Any

from course_lib.extras import import_for_notebooks

_HOMES = {
    "Chart": "charts",
    "Picture": "picture",
    "Table": "tables",
    "show_source": "source",
    "token_label": "tokens",
    "draw_attention": "attention",
    "static_attention": "attention",
    "describe_attention": "attention",
    "static_comparison": "attention",
    "describe_comparison": "attention",
    "static_convolution": "convolution",
    "describe_convolution": "convolution",
    "static_beam_tree": "beam",
    "describe_beam_tree": "beam",
    "static_embedding": "embedding",
    "describe_embedding": "embedding",
    "static_gates": "gates",
    "describe_gates": "gates",
    "static_gradient_flow": "gradient_flow",
    "describe_gradient_flow": "gradient_flow",
    "static_memory": "memory",
    "describe_memory": "memory",
    "static_reservoir": "reservoir",
    "describe_reservoir": "reservoir",
    "embed_tsne": "tsne",
    "Points": "tsne_points",
    "embed_points": "tsne_points",
    "picture_points": "tsne_points",
    "state_points": "tsne_points",
    "word_points": "tsne_points",
    "draw_similarity": "similarity",
    "static_reading": "reading",
    "watch": "live",
    "Surfaces": "surface",
    "static_segmentation": "segmentation",
    "describe_segmentation": "segmentation",
}

__all__ = [
    "Chart",
    "Picture",
    "Points",
    "Surfaces",
    "Table",
    "describe_attention",
    "describe_beam_tree",
    "describe_comparison",
    "describe_convolution",
    "describe_embedding",
    "describe_gates",
    "describe_gradient_flow",
    "describe_memory",
    "describe_reservoir",
    "describe_segmentation",
    "draw_attention",
    "draw_similarity",
    "embed_points",
    "embed_tsne",
    "picture_points",
    "show_source",
    "state_points",
    "static_attention",
    "static_beam_tree",
    "static_comparison",
    "static_convolution",
    "static_embedding",
    "static_gates",
    "static_gradient_flow",
    "static_memory",
    "static_reading",
    "static_reservoir",
    "static_segmentation",
    "token_label",
    "watch",
    "word_points",
]


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_for_notebooks(f"{__name__}.{_HOMES[name]}"), name)
