"""Widgets: thin shells that let a reader pick what a figure shows, in a notebook or in an exported page."""

from typing import Any

from course_lib.extras import import_for_notebooks

_HOMES = {
    "AttentionHeatmap": "attention_heatmap",
    "BeamTree": "beam_tree",
    "ConvolutionExplorer": "convolution_explorer",
    "GateInspector": "gate_inspector",
    "GradientFlow": "gradient_flow",
    "LatticeView": "lattice",
    "MemoryFilm": "memory_film",
    "OverlayView": "overlay",
    "ReservoirActivity": "reservoir_activity",
    "SegmentationExplorer": "segmentation_explorer",
    "TSNEMap": "tsne_map",
}

__all__ = [
    "AttentionHeatmap",
    "BeamTree",
    "ConvolutionExplorer",
    "GateInspector",
    "GradientFlow",
    "LatticeView",
    "MemoryFilm",
    "OverlayView",
    "ReservoirActivity",
    "SegmentationExplorer",
    "TSNEMap",
]


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_for_notebooks(f"{__name__}.{_HOMES[name]}"), name)
