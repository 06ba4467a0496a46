"""The segmentation explorer."""

from course_lib.widgets.segmentation_explorer.segmentation_explorer import LONGEST_TEXT, SegmentationExplorer

__all__ = ["LONGEST_TEXT", "SegmentationExplorer"]
