"""Pictures seen through windows: the family of convolutions, pooling, normalisation."""

from course_lib.vision.convolution import PLAIN, Geometry, convolve, convolve_by_loops, output_size, windows
from course_lib.vision.convolution_backward import (
    Convolve,
    Gradients,
    convolve_backward,
    input_gradient,
    transposed_convolve,
    transposed_size,
    weight_gradient,
)
from course_lib.vision.deformable import (
    DeformableConvolution,
    deformable_convolve,
    sample_bilinear,
    sampling_places,
)
from course_lib.vision.normalisation import Normalisation, Statistics, normalise, shared_with_first
from course_lib.vision.pixels import check_pixels, to_pixels
from course_lib.vision.pooling import (
    Pooled,
    average_pool,
    average_pool_backward,
    global_average_pool,
    max_pool,
    max_pool_backward,
)
from course_lib.vision.pretrained import ImagenetNetwork, is_installed, load_pretrained, photograph_pixels
from course_lib.vision.receptive_field import measured_field, output_gradient, receptive_field_size
from course_lib.vision.separable import (
    Cost,
    convolution_cost,
    depthwise_separable,
    depthwise_separable_cost,
    pointwise,
    separable,
    separate,
)

__all__ = [
    "PLAIN",
    "Convolve",
    "Cost",
    "DeformableConvolution",
    "Geometry",
    "Gradients",
    "ImagenetNetwork",
    "Normalisation",
    "Pooled",
    "Statistics",
    "average_pool",
    "average_pool_backward",
    "check_pixels",
    "convolution_cost",
    "convolve",
    "convolve_backward",
    "convolve_by_loops",
    "deformable_convolve",
    "depthwise_separable",
    "depthwise_separable_cost",
    "global_average_pool",
    "input_gradient",
    "is_installed",
    "load_pretrained",
    "max_pool",
    "max_pool_backward",
    "measured_field",
    "normalise",
    "output_gradient",
    "output_size",
    "photograph_pixels",
    "pointwise",
    "receptive_field_size",
    "sample_bilinear",
    "sampling_places",
    "separable",
    "separate",
    "shared_with_first",
    "to_pixels",
    "transposed_convolve",
    "transposed_size",
    "weight_gradient",
    "windows",
]
