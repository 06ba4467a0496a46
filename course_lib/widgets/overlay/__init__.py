"""The overlay view."""

from course_lib.widgets.overlay.overlay import OverlayView

__all__ = ["OverlayView"]
