"""Pictures seen through windows: the family of convolutions, and the networks made of them."""

from course_lib.vision.binary import BinaryConv2d, filter_scales, pack, packed_convolve, packed_product, sign
from course_lib.vision.binary_networks import binary_network, weight_bytes
from course_lib.vision.convnets import VGG, alexnet, lenet, network_in_network, vgg, vgg_features
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
from course_lib.vision.explanations import (
    Watched,
    cam,
    data_gradient,
    enlarged,
    explain,
    grad_cam,
    grad_cam_plus_plus,
    points_inside,
    saliency,
    watch,
)
from course_lib.vision.fine_tuning import FineTuned
from course_lib.vision.fooling import (
    Fooled,
    adversarial_loss,
    fast_gradient_sign,
    iterated_gradient_sign,
    smallest_noise,
)
from course_lib.vision.global_pooling import GlobalPoolingNetwork, pooled_convolutions
from course_lib.vision.inception import INCEPTIONS, Inception, googlenet
from course_lib.vision.loss_landscape import loss_surface, normalise_filters, random_direction
from course_lib.vision.network_cost import LayerCost, layer_costs, network_cost
from course_lib.vision.normalisation import Normalisation, Statistics, normalise, shared_with_first
from course_lib.vision.paths import path_gradient, path_outputs, paths_by_length, share_of_paths
from course_lib.vision.pixels import check_pixels, to_images, to_pixels
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
from course_lib.vision.residual import RESNETS, Residual, basic_block, bottleneck_block, resnet
from course_lib.vision.residual_stack import ResidualStack
from course_lib.vision.separable import (
    Cost,
    convolution_cost,
    depthwise_separable,
    depthwise_separable_cost,
    pointwise,
    separable,
    separate,
)
from course_lib.vision.small_convnets import SMALL
from course_lib.vision.trade_offs import FAMILIES, Stack

__all__ = [
    "FAMILIES",
    "INCEPTIONS",
    "PLAIN",
    "RESNETS",
    "SMALL",
    "VGG",
    "BinaryConv2d",
    "Convolve",
    "Cost",
    "DeformableConvolution",
    "FineTuned",
    "Fooled",
    "Geometry",
    "GlobalPoolingNetwork",
    "Gradients",
    "ImagenetNetwork",
    "Inception",
    "LayerCost",
    "Normalisation",
    "Pooled",
    "Residual",
    "ResidualStack",
    "Stack",
    "Statistics",
    "Watched",
    "adversarial_loss",
    "alexnet",
    "average_pool",
    "average_pool_backward",
    "basic_block",
    "binary_network",
    "bottleneck_block",
    "cam",
    "check_pixels",
    "convolution_cost",
    "convolve",
    "convolve_backward",
    "convolve_by_loops",
    "data_gradient",
    "deformable_convolve",
    "depthwise_separable",
    "depthwise_separable_cost",
    "enlarged",
    "explain",
    "fast_gradient_sign",
    "filter_scales",
    "global_average_pool",
    "googlenet",
    "grad_cam",
    "grad_cam_plus_plus",
    "input_gradient",
    "is_installed",
    "iterated_gradient_sign",
    "layer_costs",
    "lenet",
    "load_pretrained",
    "loss_surface",
    "max_pool",
    "max_pool_backward",
    "measured_field",
    "network_cost",
    "network_in_network",
    "normalise",
    "normalise_filters",
    "output_gradient",
    "output_size",
    "pack",
    "packed_convolve",
    "packed_product",
    "path_gradient",
    "path_outputs",
    "paths_by_length",
    "photograph_pixels",
    "points_inside",
    "pointwise",
    "pooled_convolutions",
    "random_direction",
    "receptive_field_size",
    "resnet",
    "saliency",
    "sample_bilinear",
    "sampling_places",
    "separable",
    "separate",
    "share_of_paths",
    "shared_with_first",
    "sign",
    "smallest_noise",
    "to_images",
    "to_pixels",
    "transposed_convolve",
    "transposed_size",
    "vgg",
    "vgg_features",
    "watch",
    "weight_bytes",
    "weight_gradient",
    "windows",
]
