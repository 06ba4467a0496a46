"""The convolution explorer."""

from course_lib.widgets.convolution_explorer.convolution_explorer import ConvolutionExplorer

__all__ = ["ConvolutionExplorer"]
