"""The lattice view."""

from course_lib.widgets.lattice.lattice import LatticeView

__all__ = ["LatticeView"]
