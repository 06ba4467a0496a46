"""Traces: what a run of a model leaves behind, to be tested, saved, sent and drawn without the model."""

from importlib import import_module
from typing import Any

_HOMES = {
    "Trace": "base",
    "AttentionTrace": "attention",
    "BeamTrace": "beam",
    "ConvolutionTrace": "convolution",
    "EmbeddingTrace": "embedding",
    "ExpansionTrace": "expansions",
    "GateTrace": "gates",
    "GradientTrace": "gradient_flow",
    "LatticeTrace": "lattice",
    "MemoryTrace": "memory",
    "OverlayTrace": "overlay",
    "ReservoirTrace": "reservoir",
    "SegmentationTrace": "segmentation",
}

__all__ = [
    "AttentionTrace",
    "BeamTrace",
    "ConvolutionTrace",
    "EmbeddingTrace",
    "ExpansionTrace",
    "GateTrace",
    "GradientTrace",
    "LatticeTrace",
    "MemoryTrace",
    "OverlayTrace",
    "ReservoirTrace",
    "SegmentationTrace",
    "Trace",
]


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"{__name__}.{_HOMES[name]}"), name)
