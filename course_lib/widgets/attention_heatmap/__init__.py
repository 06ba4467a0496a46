"""The attention heatmap."""

from course_lib.widgets.attention_heatmap.attention_heatmap import AttentionHeatmap

__all__ = ["AttentionHeatmap"]
