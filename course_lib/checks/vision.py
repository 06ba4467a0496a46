"""What the checks of the paper on convnets need beside `checks`: torch has its answers ready-made."""

import sys
from contextlib import AbstractContextManager

from course_lib.checks import core as checks
from course_lib.checks.borrowing import AUTOGRAD

_LAYERS = (
    *("conv1d", "conv2d", "conv3d", "conv_transpose1d", "conv_transpose2d", "conv_transpose3d", "conv_tbc"),
    *(
        "convolution",
        "_convolution",
        "convolution_backward",
        "thnn_conv2d",
        "slow_conv3d",
        "mkldnn_convolution",
    ),
    *("max_pool1d", "max_pool2d", "max_pool3d", "max_pool1d_with_indices", "max_pool2d_with_indices"),
    *("max_pool3d_with_indices", "adaptive_max_pool1d", "adaptive_max_pool2d", "adaptive_max_pool3d"),
    *("fractional_max_pool2d", "fractional_max_pool3d", "max_unpool2d", "max_unpool3d"),
    *("batch_norm", "native_batch_norm", "instance_norm", "layer_norm", "native_layer_norm", "group_norm"),
)
BY_HAND = (*AUTOGRAD, *(f"torch.{layer}" for layer in _LAYERS), "scipy.signal", "scipy.ndimage")


def visible(function: str, case: str, hint: str = "") -> AbstractContextManager[None]:
    """As `checks.visible`; an answer that calls autograd or torch's layers fails, too."""
    return checks.visible(function, case, hint, refused=BY_HAND)


def hidden(function: str, case: str, hint: str = "") -> AbstractContextManager[None]:
    """As `checks.hidden`; an answer that calls autograd or torch's layers fails, too."""
    return checks.hidden(function, case, hint, refused=BY_HAND)


sys.modules[__name__].__class__ = type(checks)  # sealed like that module: a student cannot replace a check
