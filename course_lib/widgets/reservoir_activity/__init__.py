"""The reservoir activity."""

from course_lib.widgets.reservoir_activity.reservoir_activity import ReservoirActivity

__all__ = ["ReservoirActivity"]
