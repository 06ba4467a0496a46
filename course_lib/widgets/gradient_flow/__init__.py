"""The gradient flow."""

from course_lib.widgets.gradient_flow.gradient_flow import GradientFlow

__all__ = ["GradientFlow"]
